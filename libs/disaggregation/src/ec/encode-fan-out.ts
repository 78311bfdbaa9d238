import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { InternalError, UpstreamError, mapLimit } from '#foundation';
import { RopeBuilder } from '#json';
import type { JsonObject, JsonValue, Rope } from '#json';
import { HEADER } from '#protocol';
import type { HostPort } from '#protocol';
import type { DisaggRequest, ReadRequest } from '../disagg-request.ts';
import { cappedBody } from '../kv/capped-body.ts';
import { failureOf, isGood } from '../stage-failure.ts';
import type { Leg, StageClient, WholeAnswer } from '../stage.client.ts';
import { encodeItems } from './encode-items.ts';

/** The one path that encode workers are called at. */
const PATH = '/v1/chat/completions';
/** Calls that are begun in one turn of the event loop: each costs the making of a body and of a connection. */
const WAVE = 16;

/** Has every media item of a request encoded, one call each, all at once (`sidecar.md` 5.3). The first failure calls the others off. */
export class EncodeFanOut {
  private readonly logger = new Logger('encode');

  constructor(private readonly stages: StageClient) {}

  /**
   * @param read makes of an item's answer what is wanted of it; throws where it is not what it must be
   * @returns in the order of the items; empty where there is no item
   * @throws CoordinatorError, its step `encode[2]`
   */
  async run<Out>(
    request: ReadRequest,
    encoders: readonly HostPort[],
    read: (answer: WholeAnswer, step: string) => Promise<Out>,
  ): Promise<readonly Out[]> {
    const items = await encodeItems(request.json);
    request.watch.note({ encodeItems: items.length });
    if (items.length === 0) {
      this.skip(request);
      return [];
    }
    const watch = request.watch.stage('encode');
    try {
      const answers = await this.all(request, items, encoders, read);
      watch.ended({ status: 200, failure: undefined });
      return answers;
    } catch (error) {
      const status = error instanceof UpstreamError ? error.upstreamStatus : undefined;
      watch.ended({ status, failure: failureOf(error) });
      throw error;
    }
  }

  private async all<Out>(
    request: ReadRequest,
    items: readonly JsonValue[],
    encoders: readonly HostPort[],
    read: (answer: WholeAnswer, step: string) => Promise<Out>,
  ): Promise<Out[]> {
    const bodyOf = itemBodies(request.json);
    let wave = Promise.resolve();
    return mapLimit(items, items.length, request.scope.signal, async (item, index, signal) => {
      if (index > 0 && index % WAVE === 0) wave = wave.then(() => nextTurn());
      await wave;
      signal.throwIfAborted();
      const leg = { ...this.leg(request, encoders, index), body: bodyOf(item), signal };
      try {
        return await this.one(request, { ...leg, item: { index, width: items.length } }, read);
      } catch (error) {
        if (!signal.aborted) {
          const failure = failureOf(error);
          this.logger.warn({ 'x-request-id': request.scope.id, item: index, failure }, 'an item could not be encoded');
        }
        throw error;
      }
    });
  }

  private async one<Out>(
    request: ReadRequest,
    leg: Leg & Required<Pick<Leg, 'item'>>,
    read: (answer: WholeAnswer, step: string) => Promise<Out>,
  ): Promise<Out> {
    const answer = await this.stages.read(request, leg);
    const step = `encode[${leg.item.index}]`;
    if (!isGood(answer.status)) throw new UpstreamError(step, answer.status);
    return read(answer, step);
  }

  /** The item's worker in turn; nothing of the client's headers, and an id of its own, for engines tell requests in progress apart by it. */
  private leg({ scope }: DisaggRequest, encoders: readonly HostPort[], index: number): Omit<Leg, 'body'> {
    const encoder = encoders[index % encoders.length];
    if (encoder === undefined) throw new InternalError(new Error('no encode worker'));
    const headers = [HEADER.requestId, `${scope.id}-enc-${index}`];
    return { stage: 'encode', base: this.stages.baseOf('encode', encoder), path: PATH, isBare: true, headers };
  }

  /** A prompt without media is ordinary; one whose media are described in another way would go without the workers unnoticed. */
  private skip({ scope, apiType, json, watch }: ReadRequest): void {
    const reason = 'no_media_items';
    watch.note({ reason });
    const hasFeatures = apiType === 'generate' && json.get('features')?.kind === 'object';
    const facts = { 'x-request-id': scope.id, reason, hasFeatures };
    if (hasFeatures) this.logger.log(facts, 'the encode stage has nothing to do');
    else this.logger.debug(facts, 'the encode stage has nothing to do');
  }
}

/** The client's body with one message of one item; what the bodies have in common is made once, and all share the client's bytes. */
function itemBodies(body: JsonObject): (item: JsonValue) => Rope {
  const common = cappedBody(body, 'chat_completions');
  return (item) => {
    const messages = new RopeBuilder().text('[{"role":"user","content":[').bytes(item.bytes).text(']}]').done();
    return common.set('messages', messages).toRope();
  };
}
