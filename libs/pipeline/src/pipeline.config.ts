import { z } from 'zod';
import { headerName } from '#config';
import { HEADER, HOP_BY_HOP, isRoutingHeader } from '#protocol';
import type { StepMetadata } from './pipeline-step.decorator.ts';

/** Names that cannot be relayed: they frame or route a single message. */
const OWNED: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'content-encoding',
  'host',
  HEADER.requestId,
  HEADER.revisionDecisionId,
]);

const relayedHeader = headerName().superRefine((name, context) => {
  if (HOP_BY_HOP.has(name) || OWNED.has(name) || isRoutingHeader(name)) {
    context.addIssue({ code: 'custom', message: `contains non-forwardable header "${name}"` });
  }
});

const relayedHeaders = z
  .array(relayedHeader)
  .superRefine((names, context) => {
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      context.addIssue({ code: 'custom', path: [index], message: `contains duplicate header "${name}"` });
    }
  })
  .prefault(['x-llm-d-disagg-revision'])
  .describe('Response headers of render, encode and prefill that later calls of the same request carry.');

/** One entry of `pipeline.steps`, its parameters checked by the step's own schema. */
export interface ConfiguredStep {
  readonly type: string;
  readonly params: unknown;
}

/** The `pipeline` section, for the steps that there are. Connector names are checked by whoever knows the connectors. */
export function pipelineConfig(
  steps: readonly StepMetadata[],
  connectors: { readonly kv: z.ZodType<string>; readonly ec: z.ZodType<string> },
) {
  return z
    .strictObject({
      kv_connector: connectors.kv
        .prefault('')
        .describe('How KV cache moves from prefill to decode. Must match the workers. Empty: kv-shared-storage.'),
      ec_connector: connectors.ec
        .prefault('')
        .describe('How encoder output moves from encode to prefill. Must match the workers. Empty: ec-shared-storage.'),
      use_openai_format: z
        .boolean()
        .default(true)
        .describe(
          "true: encode and prefill go out on the client's path. false: as tokens, on /inference/v1/generate; needs a render step.",
        ),
      send_tokens_field: z
        .boolean()
        .default(true)
        .describe("Put render's token ids into chat bodies as `tokens`, so that no worker tokenizes again."),
      generate_transfer_params: z
        .enum(['extra_args', 'top_level'])
        .default('extra_args')
        .describe(
          'Where transfer parameters stand on /inference/v1/generate: in `sampling_params.extra_args`, or at the top.',
        ),
      revision_id: z
        .boolean()
        .default(false)
        .describe('Send `x-llm-d-revision-decision-id`, one UUID for all calls of a request.'),
      forward_response_headers: relayedHeaders,
      modules: z
        .array(z.string().min(1))
        .default([])
        .describe('Modules that add steps: a path beside this file, or a package.'),
      steps: z.array(stepEntry(steps)).describe('The steps, run from top to bottom.'),
    })
    .describe('What is done with a request.');
}

export type PipelineConfig = Readonly<z.output<ReturnType<typeof pipelineConfig>>>;

export const PIPELINE_CONFIG = Symbol('pipeline:config');

/** `{type, params}`, where the type decides the parameters. */
function stepEntry(steps: readonly StepMetadata[]): z.ZodType<ConfiguredStep> {
  // of two with one type, which no union can have, one stands here: `pipelineProblems` names them
  const known = new Map(steps.map(({ type, schema }) => [type, schema]));
  const [first, ...rest] = [...known].map(([type, schema]) =>
    z.strictObject({ type: z.literal(type), params: schema.prefault({}) }),
  );
  if (first === undefined) return z.never();
  return z.discriminatedUnion('type', [first, ...rest], {
    error: ({ input }) => {
      const type = typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined;
      return typeof type === 'string' && !known.has(type) ? `unknown step type: ${type}` : undefined;
    },
  });
}
