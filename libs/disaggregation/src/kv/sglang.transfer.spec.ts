import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cleanup } from '#testing';
import type { FakeUpstream } from '#testing';
import { DisaggBench, recordLogs, sentTo } from '../disagg.fixture.ts';
import { connector, run } from './transfer.fixture.ts';

let bench: DisaggBench;
let prefiller: FakeUpstream;
const closing = cleanup();

beforeEach(async () => {
  bench = await DisaggBench.start();
  closing(() => bench.close());
  prefiller = await bench.worker();
  recordLogs();
});

const ROOM = /"bootstrap_room":(\d+)[,}]/;
const roomsOf = (worker: FakeUpstream): (string | undefined)[] =>
  worker.requests.map(({ body }) => ROOM.exec(body.toString())?.[1]);

describe('SglangTransfer', () => {
  it('sends both workers the address of the room, each once', async () => {
    const exchange = bench.exchange({
      body: '{"max_tokens":50,"stream":true,"stream_options":{"include_usage":true}}',
    });
    await run(connector('sglang', bench), exchange, prefiller);
    await exchange.watch.settled();
    expect([prefiller.requests.length, bench.engine.requests.length]).toEqual([1, 1]);
    expect(bench.engine.requests[0]?.body).toEqual(prefiller.requests[0]?.body);
    expect(sentTo(prefiller)).toMatchObject({
      max_tokens: 50,
      stream: true,
      stream_options: { include_usage: true },
      bootstrap_host: '127.0.0.1',
      bootstrap_port: 8998,
    });
    expect(roomsOf(prefiller)).toEqual([expect.stringMatching(/^\d+$/)]);
  });

  it.each(['5975098084415727586', '9007199254740993', '1', '9223372036854775807', '0'])(
    'writes the room %s with all its digits, as a number',
    async (room) => {
      const exchange = bench.exchange();
      await run(connector('sglang', bench, { room: () => BigInt(room) }), exchange, prefiller);
      await exchange.watch.settled();
      expect([...roomsOf(prefiller), ...roomsOf(bench.engine)]).toEqual([room, room]);
    },
  );

  it('draws a room of 63 bits for each request', async () => {
    const transfer = connector('sglang', bench);
    for (let nth = 0; nth < 20; nth++) {
      const exchange = bench.exchange();
      await run(transfer, exchange, prefiller);
      await exchange.watch.settled();
    }
    const rooms = roomsOf(prefiller).map((room) => BigInt(room ?? '-1'));
    expect(new Set(rooms).size).toBe(20);
    expect(rooms.every((room) => room >= 0n && room < 2n ** 63n)).toBe(true);
    // half of all rooms are above each of these, and low bits choose the rank
    expect(rooms.some((room) => room > 2n ** 53n)).toBe(true);
    expect(new Set(rooms.map((room) => room % 2n)).size).toBe(2);
  });

  it('writes an address of IPv6 in brackets, since the engine puts the port behind it', async () => {
    const exchange = bench.exchange();
    const request = await exchange.transfer({ host: '::1', port: 1 });
    await exchange.received(connector('sglang', bench).run(request));
    expect(sentTo(bench.engine)).toMatchObject({ bootstrap_host: '[::1]' });
  });

  async function bypass(body: string, path?: string): Promise<string | undefined> {
    const exchange = bench.exchange({ body, ...(path === undefined ? {} : { path }) });
    return connector('sglang', bench).bypass(await exchange.transfer({ host: 'a', port: 1 }));
  }

  it.each([
    ['{}', undefined],
    ['{"n":1}', undefined],
    ['{"n":1.0}', undefined],
    ['{"n":null}', undefined],
    ['{"n":2}', 'several_sequences'],
    ['{"n":0}', 'several_sequences'],
    ['{"n":true}', 'several_sequences'],
    ['{"n":"2"}', 'several_sequences'],
    ['{"n":[1]}', 'several_sequences'],
    ['{"n":1,"n":2}', 'several_sequences'],
    ['{"prompt":"hi"}', undefined],
    ['{"prompt":[1,2,3]}', undefined],
    ['{"prompt":["a"]}', 'batched_prompt'],
    ['{"prompt":["a","b"]}', 'batched_prompt'],
    ['{"prompt":[[1],[2]]}', 'batched_prompt'],
    ['{"prompt":[]}', 'batched_prompt'],
  ])('has room for %s unless there is a reason: %s', async (body, reason) => {
    expect(await bypass(body)).toBe(reason);
  });

  it.each([
    ['/v1/chat/completions', undefined],
    ['/v1/chat/completions?a=b', undefined],
    ['/v1/completions', undefined],
    ['/v1/messages', 'no_room_fields'],
    ['/v1/responses', 'no_room_fields'],
    ['/inference/v1/generate', 'no_room_fields'],
  ])('has room on %s unless there is a reason: %s', async (path, reason) => {
    expect(await bypass('{}', path)).toBe(reason);
  });

  it('has room for every list of token ids', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { minLength: 1 }), async (prompt) => {
        expect(await bypass(JSON.stringify({ prompt }))).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});
