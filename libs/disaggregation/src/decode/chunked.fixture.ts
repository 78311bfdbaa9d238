import { json } from '#testing';
import type { Handler } from '#testing';
import { DisaggBench, sentTo } from '../disagg.fixture.ts';
import type { Exchange, Received } from '../disagg.fixture.ts';
import { readRequest } from '../entry.service.ts';
import { ChunkedDecode } from './chunked-decode.ts';

/** What an engine answers to one call, as far as it matters. */
export interface EngineChunk {
  readonly text?: string | null;
  readonly finish?: string | null;
  readonly usage?: readonly [prompt: number, completion: number];
  readonly message?: object;
}

/** An engine's answer to one call. */
export function aChunk({ text = 'x', finish = 'length', usage, message }: EngineChunk): string {
  return JSON.stringify({
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', content: text, ...message }, finish_reason: finish }],
    ...(usage === undefined
      ? {}
      : { usage: { prompt_tokens: usage[0], completion_tokens: usage[1], total_tokens: 0 } }),
  });
}

/** An engine with an answer for each call; the last one for all that follow. */
export function inOrder(...answers: readonly (EngineChunk | string | number)[]): Handler {
  let nth = 0;
  return (_, response) => {
    const answer = answers[Math.min(nth++, answers.length - 1)] ?? '';
    if (typeof answer === 'number') json(response, 'engine says no', answer);
    else json(response, typeof answer === 'string' ? answer : aChunk(answer));
  };
}

/** A request on its way. */
export interface Run {
  readonly bench: DisaggBench;
  readonly exchange: Exchange;
  readonly answer: Promise<Received>;
}

export const MESSAGES = '"messages":[{"role":"user","content":"hi"}]';

/**
 * Has a chat request answered in chunks; close the bench.
 * @param members beside its messages, JSON text
 */
export async function runChunked(members: string, engine: Handler, size = 5): Promise<Run> {
  const bench = await DisaggBench.start(engine);
  const exchange = bench.exchange({ body: `{${MESSAGES}${members === '' ? '' : `,${members}`}}` });
  const read = await readRequest(exchange.request);
  const answer = exchange.received(new ChunkedDecode(bench.stages, size).run(read, read.json));
  return { bench, exchange, answer };
}

/** The bodies that the engine got. */
export function bodies({ engine }: DisaggBench): Record<string, unknown>[] {
  return engine.requests.map((_, nth) => sentTo(engine, nth));
}
