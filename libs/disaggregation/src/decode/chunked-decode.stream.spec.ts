import { describe, expect, it } from '@jest/globals';
import { cleanup, json } from '#testing';
import type { Received } from '../disagg.fixture.ts';
import { aChunk, inOrder, runChunked } from './chunked.fixture.ts';
import type { Run } from './chunked.fixture.ts';

const later = cleanup();

async function run(...args: Parameters<typeof runChunked>): Promise<Run> {
  const running = await runChunked(...args);
  later(() => running.bench.close());
  return running;
}

/** The events of a stream, JSON as values. */
function eventsOf({ body }: Received): unknown[] {
  const lines = body.split('\n\n').filter((event) => event !== '');
  return lines.map((line) => {
    const data = line.replace(/^data: /, '');
    return data === '[DONE]' ? data : (JSON.parse(data) as unknown);
  });
}

const STREAM = '"stream":true,"max_tokens":10';

describe('ChunkedDecode, a stream', () => {
  it('has an event for each chunk, one for usage, and the end', async () => {
    const { exchange, answer } = await run(
      STREAM,
      inOrder({ text: 'Hello', usage: [5, 5] }, { text: ' world', usage: [10, 5] }),
    );
    const received = await answer;
    expect(received).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
    const event = (content: string, finish_reason: string | null): object => ({
      id: 'c',
      choices: [{ index: 0, finish_reason, delta: { content, role: 'assistant' } }],
    });
    expect(eventsOf(received)).toEqual([
      event('Hello', null),
      event(' world', 'length'),
      { usage: { prompt_tokens: 5, completion_tokens: 10, total_tokens: 15 }, choices: [] },
      '[DONE]',
    ]);
    expect(exchange.watch.ends).toEqual(['decode: good']);
    expect(exchange.watch.facts).toMatchObject({ chunks: 2, totalTokens: 15 });
  });

  it('has tool calls and reasoning in its last event', async () => {
    const calls = [
      { id: 't1', function: { name: 'f' } },
      { index: 7, id: 't2' },
    ];
    const message = { tool_calls: calls, reasoning_content: 'r', refusal: null, annotations: [] };
    const { answer } = await run(STREAM, inOrder({ text: 'a' }, { text: null, finish: 'tool_calls', message }));
    expect(eventsOf(await answer)[1]).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          delta: {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 't1', function: { name: 'f' }, index: 0 },
              { index: 7, id: 't2' },
            ],
            reasoning_content: 'r',
          },
        },
      ],
    });
  });

  it('has events of one line each, however the engine writes its JSON', async () => {
    const pretty = JSON.stringify(JSON.parse(aChunk({ text: 'a\nb', finish: 'stop' })), null, 2).replaceAll(
      '\n',
      '\r\n',
    );
    const { answer } = await run(STREAM, inOrder(pretty));
    expect(eventsOf(await answer)[0]).toMatchObject({ choices: [{ delta: { content: 'a\nb' } }] });
  });

  it('is the refusal of the engine, where that refuses the first call', async () => {
    const { answer } = await run(STREAM, inOrder(502));
    expect(await answer).toMatchObject({ status: 502, body: 'engine says no' });
  });

  it.each([
    [503, 'UpstreamError', 'decode: status_5xx'],
    ['oops', 'InternalError', 'decode: invalid_answer'],
  ] as const)('breaks off where a later call fails: %s', async (failure, name, end) => {
    const { exchange, answer } = await run(STREAM, inOrder({ text: 'a' }, failure));
    await expect(answer).rejects.toMatchObject({ name });
    expect(exchange.watch.ends).toEqual([end]);
  });

  it('is given up when the client leaves', async () => {
    let nth = 0;
    const { bench, exchange, answer } = await run(STREAM, (_, response) => {
      if (nth++ === 0) json(response, aChunk({ text: 'a' }));
    });
    await bench.engine.received(2);
    exchange.leave();
    await expect(answer).rejects.toMatchObject({ name: 'ClientClosedError' });
    expect(await bench.engine.requests[1]?.aborted).toBe(true);
    expect(exchange.watch.ends).toEqual(['decode: client_closed']);
  });
});
