import type { HostPort } from '#protocol';
import type { ReadRequest } from '../disagg-request.ts';
import type { StageClient } from '../stage.client.ts';
import { encodeAnswer } from './encode-answer.ts';
import { EncodeFanOut } from './encode-fan-out.ts';
import { EncodeStage } from './encode-stage.ts';
import type { Encoded } from './encode-stage.ts';
import { encodedBody } from './encoded-body.ts';

/** A store that encode workers fill and the next stage reads by hash: their answers say no more than that. */
export class EcExampleStage extends EncodeStage {
  readonly name = 'ec-example';
  private readonly items: EncodeFanOut;

  constructor(stages: StageClient) {
    super();
    this.items = new EncodeFanOut(stages);
  }

  async run(request: ReadRequest, encoders: readonly HostPort[]): Promise<Encoded> {
    const answers = await this.items.run(request, encoders, encodeAnswer);
    return { json: encodedBody(request.json), items: answers.length };
  }
}
