import { beforeEach, describe, expect, it } from '@jest/globals';
import { cleanup, json } from '#testing';
import type { FakeUpstream, Handler } from '#testing';
import { DisaggBench, parsed, recordLogs, sentTo } from './disagg.fixture.ts';
import { addressOf, enter, entryOf } from './entry.fixture.ts';
import { connector } from './kv/transfer.fixture.ts';
import type { Connector } from './kv/transfer.fixture.ts';

let bench: DisaggBench;
let prefiller: FakeUpstream;
const closing = cleanup();

/** As an engine does that has no logits of a prompt that it was given as blocks. */
const crashing: Handler = (request, response) => {
  const body = parsed(request);
  if ('prompt_logprobs' in body && 'kv_transfer_params' in body) response.destroy();
  else json(response, '{"id":"decoded"}');
};

beforeEach(async () => {
  bench = await DisaggBench.start(crashing);
  closing(() => bench.close());
  prefiller = await bench.worker();
  recordLogs();
});

const send = (name: Connector, body: string, path = '/v1/chat/completions'): ReturnType<typeof enter> =>
  enter(bench, entryOf(bench, { kv: connector(name, bench) }), {
    path,
    body,
    headers: ['x-prefiller-host-port', addressOf(prefiller)],
  });

describe('EntryService past a prefill worker', () => {
  describe.each<Connector>(['offloading', 'mooncake', 'sglang', 'shared-storage'])('with %s', (name) => {
    it.each([
      ['{"prompt_logprobs":1,"echo":true,"max_tokens":5}', 'prompt_logprobs'],
      ['{"echo":true,"logprobs":1, "seed":9007199254740993}', 'echo_logprobs'],
    ])('decodes %s alone, as it came', async (body, reason) => {
      const { answer, exchange } = await send(name, body, '/v1/completions');
      expect(answer).toMatchObject({ status: 200, body: '{"id":"decoded"}' });
      expect([prefiller.requests.length, bench.engine.requests.map(({ body: sent }) => sent.toString())]).toEqual([
        0,
        [body],
      ]);
      expect(exchange.watch.facts).toMatchObject({ disaggType: 'decode-only', reason });
      expect(exchange.watch.ends).toEqual(['decode: good']);
    });
  });

  it.each(['{"n":2}', '{"n":true}', '{"n":"2"}'])('decodes %s alone with sglang, which has one room', async (body) => {
    const { answer, exchange } = await send('sglang', body);
    expect(answer.status).toBe(200);
    expect(bench.engine.requests[0]?.body.toString()).toBe(body);
    expect(prefiller.requests).toEqual([]);
    expect(exchange.watch.facts).toMatchObject({ disaggType: 'decode-only', reason: 'several_sequences' });
  });

  it.each(['{"n":1}', '{"n":null}', '{}'])('prefills %s with sglang', async (body) => {
    await send('sglang', body);
    expect(prefiller.requests).toHaveLength(1);
  });

  it.each(['/v1/responses', '/v1/messages', '/inference/v1/generate'])(
    'decodes a request on %s alone with sglang, which has no fields for a room there',
    async (path) => {
      const { answer, exchange } = await send('sglang', '{"a": 1}', path);
      expect(answer.status).toBe(200);
      expect(bench.engine.requests.map(({ path: to, body }) => [to, body.toString()])).toEqual([[path, '{"a": 1}']]);
      expect(prefiller.requests).toEqual([]);
      expect(exchange.watch.facts).toMatchObject({ reason: 'no_room_fields' });
    },
  );

  it('keeps what the encode stage made of the body', async () => {
    const encoder = await bench.worker();
    const { exchange } = await enter(bench, entryOf(bench, { kv: connector('sglang', bench) }), {
      body: '{"n":2,"messages":[{"content":[{"type":"image_url","image_url":{"url":"a"}}]}]}',
      headers: ['x-prefiller-host-port', addressOf(prefiller), 'x-encoder-hosts-ports', addressOf(encoder)],
    });
    expect(sentTo(bench.engine)).toMatchObject({ n: 2, cache_hit_threshold: 0 });
    expect(exchange.watch.facts).toMatchObject({ disaggType: 'encode-decode', reason: 'several_sequences' });
    expect(prefiller.requests).toEqual([]);
  });
});
