import { z } from 'zod';
import { UpstreamConnectionError, UpstreamTimeoutError } from '#foundation';
import { GatewayClient } from '#gateway';
import type { UpstreamReply } from '#gateway';
import { PipelineStep, next, respond } from '#pipeline';
import type { PipelineRequest, Step, StepOutcome } from '#pipeline';
import { HEADER } from '#protocol';
import { probeBody } from './bodies/decode-body.ts';
import { WireFormatPolicy } from './wire-format.policy.ts';

export const conditionalDecodeParams = z.strictObject({}).describe('Try decode first; on 412 go on with the pipeline.');

/**
 * Asks decode to serve the request if it already has what it needs. 412 is a miss and the pipeline goes on; so it does when
 * no answer came at all. Any other answer is the client's.
 * @see decisions.md P5
 */
@PipelineStep('conditional-decode', conditionalDecodeParams, { answers: true })
export class ConditionalDecodeStep implements Step<z.output<typeof conditionalDecodeParams>> {
  constructor(
    private readonly gateway: GatewayClient,
    private readonly formats: WireFormatPolicy,
  ) {}

  readonly execute = async (request: PipelineRequest): Promise<StepOutcome> => {
    const reply = await this.probe(request);
    if (reply === undefined) return next();
    if (reply.status !== 412) return respond(reply);
    reply.body.discard();
    return next();
  };

  /** Undefined when the connection failed, or the head did not come in time. */
  private async probe(request: PipelineRequest): Promise<UpstreamReply | undefined> {
    try {
      return await this.gateway.call({
        scope: request.scope,
        upstream: 'conditional-decode',
        step: 'conditional-decode',
        profile: 'decode',
        path: request.path,
        body: probeBody(request, this.formats.sendsTokens),
        clientHeaders: request.clientHeaders,
        headers: [...this.formats.headers(request), HEADER.prefer, 'if-available'],
      });
    } catch (error) {
      if (error instanceof UpstreamConnectionError || error instanceof UpstreamTimeoutError) return undefined;
      throw error;
    }
  }
}
