import { Logger } from '@nestjs/common';
import { z } from 'zod';
import { ConnectorRegistry, ecConnectorName, kvConnectorName } from '#connectors';
import { asCoordinatorError } from '#foundation';
import { GatewayClient, jsonAnswer } from '#gateway';
import type { PhaseCall, UpstreamReply } from '#gateway';
import { PipelineStep, respond } from '#pipeline';
import type { PipelineRequest, Step, StepOutcome } from '#pipeline';
import { HEADER, hostPortText, pathOf, withoutHeaders } from '#protocol';
import type { HostPort } from '#protocol';
import { decodeBody } from '../bodies/decode-body.ts';
import type { DecodeParts } from '../bodies/decode-body.ts';
import { prefillBody } from '../bodies/prefill-body.ts';
import type { PrefillParts } from '../bodies/prefill-body.ts';
import { WireFormatPolicy } from '../wire-format.policy.ts';
import { runConcurrently } from './concurrent-legs.ts';
import { checkOneRoom } from './one-room.ts';
import { reservedEndpoint } from './reserved-endpoint.ts';

export const prefillDecodeParams = z
  .strictObject({
    use_openai_format: z.boolean().optional().describe('Overrides pipeline.use_openai_format for this step.'),
    kv_connector: kvConnectorName
      .optional()
      .describe('Overrides pipeline.kv_connector for this step. It must be kv-sglang.'),
    ec_connector: ecConnectorName.optional().describe('Overrides pipeline.ec_connector for this step.'),
  })
  .describe('Prefill and decode at the same time, for SGLang; in place of both steps.');

export type PrefillDecodeParams = z.output<typeof prefillDecodeParams>;

/** What the calls to the prefill profile and that to decode have in common. */
type CommonCall = Required<Pick<PhaseCall, 'scope' | 'headers'>> & Pick<PhaseCall, 'clientHeaders'>;

const STEP = 'prefill-decode';

/**
 * Reserves a prefill worker, tells both workers where they meet, and has them run at once. Whatever decode answers is the
 * client's; an answer whose prefill fails is broken off.
 * @see coordinator.md C.8
 */
@PipelineStep(STEP, prefillDecodeParams, { answers: true })
export class PrefillDecodeStep implements Step<PrefillDecodeParams> {
  private readonly logger = new Logger(STEP);

  constructor(
    private readonly gateway: GatewayClient,
    private readonly connectors: ConnectorRegistry,
    private readonly formats: WireFormatPolicy,
  ) {}

  readonly execute = async (request: PipelineRequest, params: PrefillDecodeParams): Promise<StepOutcome> => {
    checkOneRoom(request);
    const { scope } = request;
    const connector = this.connectors.concurrentKv(params.kv_connector);
    const format = this.formats.target(request.format, params.use_openai_format);
    const parts = {
      kv: undefined,
      ec: request.ecParams,
      sendsTokens: this.formats.sendsTokens,
      nested: this.formats.nestsTransferParams,
    } satisfies PrefillParts & DecodeParts;
    const call: CommonCall = {
      scope,
      clientHeaders: withoutHeaders(request.clientHeaders ?? scope.headers, connector.conflictingHeaders),
      headers: this.formats.headers(request),
    };
    const path = pathOf(format);
    const endpoint = await this.reserve({ ...call, path, body: prefillBody(request, format, parts) });
    const paired = { ...parts, members: connector.members(endpoint) };
    return respond(
      await runConcurrently(scope.signal, {
        prefill: (signal) =>
          this.prefill({ ...call, path, body: prefillBody(request, format, paired), signal }, endpoint),
        decode: (signal) =>
          this.gateway.call({
            ...call,
            upstream: 'decode',
            step: 'decode',
            profile: 'decode',
            path: request.path,
            body: decodeBody(request, paired),
            isBuffered: !request.stream,
            signal,
          }),
        prefillFailedLate: (error, isOver) => {
          this.failedLate(error, isOver);
        },
      }),
    );
  };

  private async reserve(call: CommonCall & Pick<PhaseCall, 'path' | 'body'>): Promise<HostPort> {
    const reply: UpstreamReply = await this.gateway.call({
      ...call,
      upstream: 'reserve-endpoint',
      step: STEP,
      profile: 'prefill',
      requestId: `${call.scope.id}-reserve`,
      headers: [...call.headers, HEADER.prefer, 'reserve-endpoint'],
    });
    reply.body.discard();
    const endpoint = reservedEndpoint(reply, STEP);
    this.logger.debug({ endpoint: hostPortText(endpoint) }, 'endpoint reserved');
    return endpoint;
  }

  /** At the reserved endpoint and nowhere else. */
  private async prefill(call: CommonCall & Pick<PhaseCall, 'path' | 'body' | 'signal'>, at: HostPort): Promise<void> {
    const reply = await this.gateway.call({
      ...call,
      upstream: 'prefill',
      step: 'prefill',
      profile: 'prefill',
      requestId: `${call.scope.id}-prefill`,
      headers: [...call.headers, HEADER.pin, hostPortText(at)],
    });
    await jsonAnswer(reply, 'prefill', this.gateway.maxResponseBytes);
  }

  /** An answer that is broken off by a failure of 5xx is logged where the client's reply is ended. */
  private failedLate(thrown: unknown, isOver: boolean): void {
    const error = asCoordinatorError(thrown);
    if (!isOver && error.status >= 500) return;
    const what = isOver ? 'prefill failed after decode had ended' : 'prefill failed while decode answered';
    this.logger.warn({ code: error.code, status: error.status, err: error }, what);
  }
}
