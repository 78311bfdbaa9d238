import { z } from 'zod';
import { integer } from '#config';
import { ConnectorRegistry, ecConnectorName } from '#connectors';
import { mapLimit } from '#foundation';
import { GatewayClient, jsonAnswer } from '#gateway';
import type { PhaseCall, UpstreamReply } from '#gateway';
import type { JsonObject } from '#json';
import { PipelineStep, next } from '#pipeline';
import type { PipelineRequest, Step, StepOutcome } from '#pipeline';
import { pathOf } from '#protocol';
import { encodeBodies, encodeItems } from './bodies/encode-body.ts';
import { WireFormatPolicy } from './wire-format.policy.ts';

export const encodeParams = z
  .strictObject({
    max_parallel: integer({ min: 1, max: 1024 }).default(8).describe('Encode calls in flight for one request.'),
    use_openai_format: z.boolean().optional().describe('Overrides pipeline.use_openai_format for this step.'),
    ec_connector: ecConnectorName.optional().describe('Overrides pipeline.ec_connector for this step.'),
    on_failure: z.literal('fail').default('fail').describe('A failed item fails the request; there is no other way.'),
  })
  .describe('One call for each multimodal item, in parallel.');

export type EncodeParams = z.output<typeof encodeParams>;

interface EncodeCall extends Pick<PhaseCall, 'path' | 'headers' | 'body' | 'signal'> {
  readonly item: { readonly index: number; readonly width: number };
}

interface EncodeAnswer {
  readonly answer: JsonObject;
  readonly headers: UpstreamReply['headers'];
}

/**
 * Has every multimodal item encoded, each distinct one once, and gathers where the results lie. The first failure cancels
 * the calls beside it and names its item.
 */
@PipelineStep('encode', encodeParams)
export class EncodeStep implements Step<EncodeParams> {
  constructor(
    private readonly gateway: GatewayClient,
    private readonly connectors: ConnectorRegistry,
    private readonly formats: WireFormatPolicy,
  ) {}

  readonly execute = async (request: PipelineRequest, params: EncodeParams): Promise<StepOutcome> => {
    const isOfChat = request.format === 'chat' || request.format === 'responses';
    if (!isOfChat || request.features === undefined) return next();
    const items = encodeItems(request);
    const format = this.formats.target(request.format, params.use_openai_format);
    const calls = { path: pathOf(format), headers: this.formats.headers(request) };
    const bodyOf = encodeBodies(request, format, this.formats.sendsTokens);
    const answers = await mapLimit(items, params.max_parallel, request.scope.signal, (item, index, signal) =>
      this.encode(request, { ...calls, body: bodyOf(item), signal, item: { index, width: items.length } }),
    );
    const ecParams = this.connectors
      .ec(params.ec_connector)
      .merge(answers.map(({ answer }) => answer.get('ec_transfer_params')));
    const relayedHeaders = this.formats.relayed(
      request,
      answers.map(({ headers }) => headers),
    );
    return next(ecParams === undefined ? { relayedHeaders } : { relayedHeaders, ecParams });
  };

  private async encode(request: PipelineRequest, call: EncodeCall): Promise<EncodeAnswer> {
    const step = `encode[${call.item.index}]`;
    const reply = await this.gateway.call({
      ...call,
      scope: request.scope,
      clientHeaders: request.clientHeaders,
      upstream: 'encode',
      step,
      profile: 'encode',
    });
    return { answer: await jsonAnswer(reply, step, this.gateway.maxResponseBytes), headers: reply.headers };
  }
}
