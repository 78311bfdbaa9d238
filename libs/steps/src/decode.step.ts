import { z } from 'zod';
import { ConnectorRegistry, kvConnectorName } from '#connectors';
import { GatewayClient } from '#gateway';
import { PipelineStep, respond } from '#pipeline';
import type { PipelineRequest, Step, StepOutcome } from '#pipeline';
import { decodeBody } from './bodies/decode-body.ts';
import { WireFormatPolicy } from './wire-format.policy.ts';

export const decodeParams = z
  .strictObject({
    kv_connector: kvConnectorName.optional().describe('Overrides pipeline.kv_connector for this step.'),
  })
  .describe("The call whose answer is the client's.");

export type DecodeParams = z.output<typeof decodeParams>;

/** Has the answer generated; whatever decode answers is the client's, byte for byte. */
@PipelineStep('decode', decodeParams, { answers: true })
export class DecodeStep implements Step<DecodeParams> {
  constructor(
    private readonly gateway: GatewayClient,
    private readonly connectors: ConnectorRegistry,
    private readonly formats: WireFormatPolicy,
  ) {}

  readonly execute = async (request: PipelineRequest, params: DecodeParams): Promise<StepOutcome> => {
    const { handoff } = request;
    const kv = handoff && this.connectors.kv(params.kv_connector).forDecode(handoff.params);
    return respond(
      await this.gateway.call({
        scope: request.scope,
        upstream: 'decode',
        step: 'decode',
        profile: 'decode',
        path: request.path,
        body: decodeBody(request, {
          kv,
          sendsTokens: this.formats.sendsTokens,
          nested: this.formats.nestsTransferParams,
        }),
        clientHeaders: request.clientHeaders,
        headers: this.formats.headers(request),
        isBuffered: !request.stream,
      }),
    );
  };
}
