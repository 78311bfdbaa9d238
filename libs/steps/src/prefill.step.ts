import { Logger } from '@nestjs/common';
import { z } from 'zod';
import { ConnectorRegistry, ecConnectorName, kvConnectorName } from '#connectors';
import { CoordinatorError } from '#foundation';
import { GatewayClient, jsonAnswer } from '#gateway';
import type { JsonObject } from '#json';
import { PipelineStep, next } from '#pipeline';
import type { KvHandoff, PipelineRequest, Step, StepOutcome } from '#pipeline';
import { pathOf } from '#protocol';
import { prefillBody } from './bodies/prefill-body.ts';
import { WireFormatPolicy } from './wire-format.policy.ts';

export const prefillParams = z
  .strictObject({
    use_openai_format: z.boolean().optional().describe('Overrides pipeline.use_openai_format for this step.'),
    kv_connector: kvConnectorName.optional().describe('Overrides pipeline.kv_connector for this step.'),
    ec_connector: ecConnectorName.optional().describe('Overrides pipeline.ec_connector for this step.'),
    on_failure: z
      .enum(['fail', 'decode'])
      .default('fail')
      .describe("decode: after a failure that is not the client's, decode computes the prompt itself."),
  })
  .describe('One call that fills the KV cache.');

export type PrefillParams = z.output<typeof prefillParams>;

/** Milliseconds between two warnings about a hand-over that did not happen. */
const WARNING_PAUSE = 60_000;

/** Has the prompt's KV cache computed and keeps what decode needs to fetch it. */
@PipelineStep('prefill', prefillParams)
export class PrefillStep implements Step<PrefillParams> {
  private readonly logger = new Logger('prefill');
  private warnedAt = -Infinity;

  constructor(
    private readonly gateway: GatewayClient,
    private readonly connectors: ConnectorRegistry,
    private readonly formats: WireFormatPolicy,
  ) {}

  readonly execute = async (request: PipelineRequest, params: PrefillParams): Promise<StepOutcome> => {
    try {
      return await this.prefill(request, params);
    } catch (error) {
      // a request that was given up ends with the reason for it, whatever its status
      const isGivenUp = request.scope.signal.aborted;
      if (params.on_failure === 'decode' && !isGivenUp && isUpstreamsFault(error)) return next({ prefillFailed: true });
      throw error;
    }
  };

  private async prefill(request: PipelineRequest, params: PrefillParams): Promise<StepOutcome> {
    const format = this.formats.target(request.format, params.use_openai_format);
    const connector = this.connectors.kv(params.kv_connector);
    const reply = await this.gateway.call({
      scope: request.scope,
      upstream: 'prefill',
      step: 'prefill',
      profile: 'prefill',
      path: pathOf(format),
      body: prefillBody(request, format, {
        kv: connector.forPrefill(),
        ec: request.ecParams,
        sendsTokens: this.formats.sendsTokens,
        nested: this.formats.nestsTransferParams,
      }),
      clientHeaders: request.clientHeaders,
      headers: this.formats.headers(request),
    });
    const answer = await jsonAnswer(reply, 'prefill', this.gateway.maxResponseBytes);
    const handoff = handoffOf(answer, this.connectors.kvName(params.kv_connector));
    if (connector.needsHandoff && handoff.params === undefined) this.warn();
    return next({ handoff, relayedHeaders: this.formats.relayed(request, [reply.headers]) });
  }

  private warn(): void {
    const now = performance.now();
    if (now - this.warnedAt < WARNING_PAUSE) return;
    this.warnedAt = now;
    this.logger.warn('prefill returned no kv_transfer_params; decode will recompute the prompt');
  }
}

/** A connection that failed, a time limit, an answer of 5xx or one that is no use; not a refusal of the request. */
function isUpstreamsFault(error: unknown): boolean {
  return error instanceof CoordinatorError && error.status >= 502;
}

function handoffOf(answer: JsonObject, connector: string): KvHandoff {
  const value = answer.get('kv_transfer_params');
  const receivedAt = performance.now();
  if (value === undefined || value.isNull) return { params: undefined, connector, result: 'missing', receivedAt };
  if (value.kind !== 'object') return { params: undefined, connector, result: 'not_object', receivedAt };
  return { params: [value.bytes], connector, result: 'complete', receivedAt };
}
