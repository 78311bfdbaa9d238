import { UpstreamError } from '#foundation';
import { ropeLength } from '#json';
import type { JsonObject } from '#json';
import type { ClientResponse } from '#pipeline';
import type { ReadRequest } from '../disagg-request.ts';
import type { StageWatch } from '../disagg.observer.ts';
import { endOf, failureOf, isGood } from '../stage-failure.ts';
import type { Leg, StageClient } from '../stage.client.ts';
import { readChunk } from './chunked-answer.ts';
import type { Chunk } from './chunked-answer.ts';
import { chunkEvent, lastEvents, wholeAnswer } from './chunked-output.ts';
import { ChunkedProgress } from './chunked-progress.ts';
import { isContinuable, tokenBudget } from './chunked-request.ts';
import { ChunkedStream } from './chunked-stream.ts';

/** What came of one call: a part of the answer, or the refusal that is relayed. */
type Outcome = { readonly chunk: Chunk } | { readonly refusal: ClientResponse };

const JSON_TYPE = { 'content-type': 'application/json' };
const STREAM_TYPE = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

/** An answer while it is made. */
interface Making {
  readonly progress: ChunkedProgress;
  readonly watch: StageWatch;
  readonly next: () => Promise<Outcome>;
}

/** Makes one answer of several calls of bounded length, each going on with the text of those before (`sidecar.md` 6). */
export class ChunkedDecode {
  /** @param size tokens of a call, above 0 */
  constructor(
    private readonly stages: StageClient,
    private readonly size: number,
  ) {}

  /**
   * An answer that fits into one call, or cannot be put together of several, is made by one.
   * @param body what the engine is to be sent, transfer parameters included
   * @param headers beside the client's
   * @throws as `StageClient`; InternalError for a part that is no JSON
   */
  async run(request: ReadRequest, body: JsonObject, headers: readonly string[] = []): Promise<ClientResponse> {
    const budget = tokenBudget(body);
    const leg = { stage: 'decode', base: request.listener.decoder, headers } as const;
    if (budget <= this.size || !isContinuable(body)) {
      return this.stages.stream(request, { ...leg, body: body.toRope() });
    }
    request.watch.note({ chunkSize: this.size });
    const progress = new ChunkedProgress(body, this.size, budget);
    const watch = request.watch.stage('decode');
    const making = { progress, watch, next: () => this.next(request, leg, progress) };
    try {
      const first = await making.next();
      const streams = body.get('stream')?.isTrue === true;
      if ('chunk' in first && streams) return streamed(request, making, first.chunk);
      const answer = await whole(making, first);
      noteEnd(request, progress);
      watch.ended(endOf(answer.status));
      return answer;
    } catch (error) {
      watch.ended({ status: undefined, failure: failureOf(error) });
      throw error;
    }
  }

  private async next(request: ReadRequest, leg: Omit<Leg, 'body'>, progress: ChunkedProgress): Promise<Outcome> {
    const { status, headers, bytes } = await this.stages.read(request, { ...leg, body: progress.nextBody() });
    if (!isGood(status)) return { refusal: { status, headers, body: [bytes] } };
    const chunk = await readChunk(bytes);
    progress.take(chunk);
    return { chunk };
  }
}

async function whole({ progress, next }: Making, first: Outcome): Promise<ClientResponse> {
  let last: Chunk | undefined;
  for (let outcome = first; ; outcome = await next()) {
    if ('refusal' in outcome) return outcome.refusal;
    // an end that has nothing in it does not hide what came before
    if (last === undefined || outcome.chunk.choice !== undefined) last = outcome.chunk;
    if (progress.isDone) break;
  }
  const body = wholeAnswer(last, progress.text, progress.usage);
  return { status: 200, headers: { ...JSON_TYPE, 'content-length': String(ropeLength(body)) }, body };
}

function streamed(request: ReadRequest, making: Making, first: Chunk): ClientResponse {
  const body = new ChunkedStream(events(making, first), request.scope.signal);
  body.observe({
    end: (error) => {
      noteEnd(request, making.progress);
      making.watch.ended(error === undefined ? endOf(200) : { status: 200, failure: failureOf(error) });
    },
  });
  return { status: 200, headers: STREAM_TYPE, body };
}

/** @throws UpstreamError for a refusal: the head of the answer has left */
async function* events({ progress, watch, next }: Making, first: Chunk): AsyncGenerator<Buffer, void> {
  yield chunkEvent(first, progress.isDone);
  while (!progress.isDone) {
    const outcome = await next();
    if ('refusal' in outcome) {
      const { status } = outcome.refusal;
      watch.ended(endOf(status));
      throw new UpstreamError('decode', status);
    }
    yield chunkEvent(outcome.chunk, progress.isDone);
  }
  yield lastEvents(progress.usage);
}

function noteEnd({ watch }: ReadRequest, { chunks, usage }: ChunkedProgress): void {
  watch.note({ chunks, totalTokens: usage.promptTokens + usage.completionTokens });
}
