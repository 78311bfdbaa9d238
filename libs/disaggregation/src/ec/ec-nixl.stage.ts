import { Logger } from '@nestjs/common';
import { UpstreamAnswerError } from '#foundation';
import type { JsonValue } from '#json';
import type { HostPort } from '#protocol';
import type { ReadRequest } from '../disagg-request.ts';
import type { StageClient, WholeAnswer } from '../stage.client.ts';
import { encodeAnswer } from './encode-answer.ts';
import { EncodeFanOut } from './encode-fan-out.ts';
import { EncodeStage } from './encode-stage.ts';
import type { Encoded } from './encode-stage.ts';
import { encodedBody } from './encoded-body.ts';
import { mergedParams } from './merged-params.ts';

/** NIXL: each worker says where the embeddings of its item lie, by hash. */
export class EcNixlStage extends EncodeStage {
  readonly name = 'ec-nixl';
  private readonly logger = new Logger(this.name);
  private readonly items: EncodeFanOut;

  constructor(stages: StageClient) {
    super();
    this.items = new EncodeFanOut(stages);
  }

  async run(request: ReadRequest, encoders: readonly HostPort[]): Promise<Encoded> {
    const answers = await this.items.run(request, encoders, ecParams);
    const { params, contributed } = mergedParams(answers);
    if (contributed < answers.length) {
      const facts = { 'x-request-id': request.scope.id, contributed, items: answers.length };
      this.logger.warn(facts, 'not every encode worker gave ec_transfer_params');
    }
    const json = encodedBody(request.json);
    return { json: params === undefined ? json : json.set('ec_transfer_params', params), items: answers.length };
  }
}

/** @throws UpstreamAnswerError for an answer that is no JSON object, or has an `error` in it */
async function ecParams(answer: WholeAnswer, step: string): Promise<JsonValue | undefined> {
  const object = await encodeAnswer(answer, step);
  if (object === undefined) throw new UpstreamAnswerError(step, 'something other than a JSON object');
  return object.get('ec_transfer_params');
}
