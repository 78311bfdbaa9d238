import { describe, expect, it } from '@jest/globals';
import { cleanup, json } from '#testing';
import { answering } from '../disagg.fixture.ts';
import { MESSAGES, aChunk, bodies, inOrder, runChunked } from './chunked.fixture.ts';
import type { Run } from './chunked.fixture.ts';

const later = cleanup();

async function run(...args: Parameters<typeof runChunked>): Promise<Run> {
  const running = await runChunked(...args);
  later(() => running.bench.close());
  return running;
}

describe('ChunkedDecode, one answer', () => {
  it('is one call where it fits into a chunk, the body as it came', async () => {
    const { bench, answer } = await run('"max_tokens":10', answering('{"id":"whole"}'), 512);
    expect(await answer).toMatchObject({ status: 200, body: '{"id":"whole"}' });
    expect(bodies(bench)).toEqual([{ messages: [{ role: 'user', content: 'hi' }], max_tokens: 10 }]);
  });

  it('has the text of all chunks, and usage with the prompt of the first', async () => {
    const { bench, exchange, answer } = await run(
      '"max_tokens":10',
      inOrder({ text: 'Hello, ', usage: [8, 5] }, { text: 'world\n"é"', usage: [13, 5] }),
    );
    const { status, headers, body } = await answer;
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json' });
    expect(JSON.parse(body)).toEqual({
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello, world\n"é"' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 8, completion_tokens: 10, total_tokens: 18 },
    });
    expect(bench.engine.requests).toHaveLength(2);
    expect(exchange.watch.facts).toMatchObject({ chunkSize: 5, chunks: 2, totalTokens: 18 });
    expect(exchange.watch.ends).toEqual(['decode: good']);
  });

  it('ends with the first chunk that was stopped', async () => {
    const { bench, answer } = await run('"max_tokens":100', inOrder({ text: 'done', finish: 'stop', usage: [8, 2] }));
    expect(JSON.parse((await answer).body)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    expect(bench.engine.requests).toHaveLength(1);
  });

  it('goes on with one assistant message that grows', async () => {
    const { bench, answer } = await run(
      '"max_tokens":12,"kv_transfer_params":{"a":1},"stream":true,"stream_options":{"include_usage":true}',
      inOrder({ text: 'one ', usage: [8, 5] }, { text: 'two "2" ', usage: [8, 5] }, { text: 'three', usage: [8, 2] }),
    );
    await answer;
    const user = { role: 'user', content: 'hi' };
    const going = { continue_final_message: true, add_generation_prompt: false, stream: false };
    const said = (content: string): object => ({ messages: [user, { role: 'assistant', content }] });
    expect(bodies(bench)).toEqual([
      {
        messages: [user],
        max_tokens: 5,
        max_completion_tokens: 5,
        stream: false,
        kv_transfer_params: { a: 1 },
      },
      { ...said('one '), ...going, max_tokens: 5, max_completion_tokens: 5 },
      { ...said('one two "2" '), ...going, max_tokens: 2, max_completion_tokens: 2 },
    ]);
  });

  it('keeps what it does not change byte for byte', async () => {
    const members = '"seed":18446744073709551615,"x":{"z":1.0,"a":2},"x": {"b" : 1},"max_tokens":6';
    const { bench, answer } = await run(members, inOrder({ text: 'a', usage: [1, 5] }));
    await answer;
    const limits = (size: number) => `"max_tokens":${size},"max_completion_tokens":${size},"stream":false`;
    const kept = '"seed":18446744073709551615,"x":{"z":1.0,"a":2},"x": {"b" : 1}';
    expect(bench.engine.requests.map(({ body }) => body.toString())).toEqual([
      `{${MESSAGES},${kept},${limits(5)}}`,
      `{${MESSAGES.slice(0, -1)},{"role":"assistant","content":"a"}],${kept},${limits(1)},"continue_final_message":true,"add_generation_prompt":false}`,
    ]);
  });

  it('prefers max_completion_tokens, and goes on without a limit where there is none', async () => {
    const preferred = await run(
      '"max_tokens":100,"max_completion_tokens":6',
      inOrder({ usage: [1, 5] }, { usage: [1, 1] }),
    );
    await preferred.answer;
    expect(bodies(preferred.bench).map((body) => body['max_tokens'])).toEqual([5, 1]);
    const endless = await run('', inOrder({ usage: [1, 5] }, { usage: [1, 5] }, { finish: 'stop', usage: [1, 1] }));
    await endless.answer;
    expect(bodies(endless.bench).map((body) => body['max_tokens'])).toEqual([5, 5, 5]);
  });

  it('lowers min_tokens to a chunk, and counts it down', async () => {
    const { bench, answer } = await run('"max_tokens":15,"min_tokens":7', inOrder({ usage: [1, 5] }));
    await answer;
    expect(bodies(bench).map((body) => body['min_tokens'])).toEqual([5, 2, 0]);
  });

  it('appends nothing where there is no text yet', async () => {
    const { bench, answer } = await run('"max_tokens":10', inOrder({ text: '', usage: [1, 5] }));
    await answer;
    expect(bodies(bench).map((body) => body['messages'])).toEqual(Array(2).fill([{ role: 'user', content: 'hi' }]));
    expect(bodies(bench)[1]).not.toHaveProperty('continue_final_message');
  });

  it.each([
    ['{"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]}'],
    ['{"reasoning_content":"because"}'],
    ['{"reasoning":"because"}'],
  ])('ends with a chunk that has more than text, of which nothing is lost: %s', async (message) => {
    const more = JSON.parse(message) as object;
    const { bench, answer } = await run('"max_tokens":50', inOrder({ text: 'a' }, { text: null, message: more }));
    expect(JSON.parse((await answer).body)).toMatchObject({
      choices: [{ message: { role: 'assistant', content: 'a', ...more } }],
    });
    expect(bench.engine.requests).toHaveLength(2);
  });

  it.each([
    ['says how it finished', [{ text: 'a' }, { text: 'b', finish: 'stop' }], 2],
    ['has nothing to say', [{ text: 'a' }, { text: '' }], 2],
    ['is asked for no more', [{ text: 'a' }], 4],
  ] as const)('ends without usage of the engine, where that %s', async (_, answers, calls) => {
    const { bench, answer } = await run('"max_tokens":20', inOrder(...answers));
    expect((await answer).status).toBe(200);
    expect(bench.engine.requests).toHaveLength(calls);
  });

  it('ends where there is no limit, and the engine neither counts nor finishes', async () => {
    const { bench, answer } = await run('', inOrder({ text: 'a' }), 256 * 1024);
    expect((await answer).status).toBe(200);
    expect(bench.engine.requests).toHaveLength(4);
  });

  it('keeps its text where the last chunk has no choice', async () => {
    const { answer } = await run('', inOrder({ text: 'a', usage: [3, 5] }, '{"choices":[]}'));
    expect(JSON.parse((await answer).body)).toMatchObject({
      choices: [{ message: { content: 'a' } }],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
    });
  });

  it.each([
    ['the first', [502]],
    ['a later', [{ text: 'a' }, 502]],
  ] as const)('is what the engine says, where it refuses %s call', async (_, answers) => {
    const { exchange, answer } = await run('', inOrder(...answers));
    expect(await answer).toMatchObject({ status: 502, body: 'engine says no' });
    expect(exchange.watch.ends).toEqual(['decode: status_5xx']);
  });

  it('is a 500 where a chunk is no JSON', async () => {
    const { exchange, answer } = await run('', inOrder({ text: 'a' }, 'oops'));
    expect((await answer).status).toBe(500);
    expect(exchange.watch.ends).toEqual(['decode: invalid_answer']);
  });

  it.each([
    '"n":2',
    '"tools":[{"type":"function"}]',
    '"functions":[{}]',
    '"logprobs":true',
    '"echo":true',
    '"continue_final_message":true',
    '"response_format":{"type":"json_object"}',
    '"structured_outputs":{"regex":"a"}',
    '"guided_json":{}',
    '"use_beam_search":true',
  ])('is one call where it cannot be made of several: %s', async (members) => {
    const { bench, answer } = await run(members, answering('{"id":"whole"}'));
    expect((await answer).body).toBe('{"id":"whole"}');
    expect(bench.engine.requests[0]?.body.toString()).toBe(`{${MESSAGES},${members}}`);
  });

  it.each([
    '"n":1',
    '"tools":[]',
    '"logprobs":false',
    '"guided_json":null',
    '"response_format":{"type":"text"}',
    '"response_format":null',
  ])('is made of several all the same: %s', async (members) => {
    const { bench, answer } = await run(members, inOrder({ text: 'a' }, { finish: 'stop' }));
    await answer;
    expect(bench.engine.requests).toHaveLength(2);
  });

  it('is given up when the client leaves', async () => {
    let nth = 0;
    const { bench, exchange, answer } = await run('', (_, response) => {
      if (nth++ === 0) json(response, aChunk({ text: 'a' }));
    });
    await bench.engine.received(2);
    exchange.leave();
    expect((await answer).status).toBe(499);
    expect(await bench.engine.requests[1]?.aborted).toBe(true);
    expect(exchange.watch.ends).toEqual(['decode: client_closed']);
  });
});
