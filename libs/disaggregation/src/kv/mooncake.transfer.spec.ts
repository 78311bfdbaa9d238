import { beforeEach, describe, expect, it } from '@jest/globals';
import { RawUpstream, cleanup, json } from '#testing';
import type { FakeUpstream, Handler } from '#testing';
import { DisaggBench, answering, deadTarget, recordLogs, secret, sentTo, targetOf } from '../disagg.fixture.ts';
import type { Exchange, Received } from '../disagg.fixture.ts';
import { MooncakeBootstrap } from './mooncake-bootstrap.ts';
import { MooncakeTransfer } from './mooncake.transfer.ts';
import { ONE_ENGINE, run } from './transfer.fixture.ts';

let bench: DisaggBench;
let prefiller: FakeUpstream;
let bootstrap: FakeUpstream;
let now: number;
const closing = cleanup();

beforeEach(async () => {
  bench = await DisaggBench.start();
  closing(() => bench.close());
  prefiller = await bench.worker();
  bootstrap = await bench.worker(answering(ONE_ENGINE));
  now = 0;
  recordLogs();
});

const portOf = ({ url }: { readonly url: string }): number => Number(new URL(url).port);
const asking = ({ url }: { readonly url: string }): MooncakeTransfer =>
  new MooncakeTransfer(
    bench.stages,
    bench.decode,
    new MooncakeBootstrap(bench.prefillClient, portOf({ url }), () => now),
  );

async function send(transfer = asking(bootstrap), body = '{}', headers: readonly string[] = []): Promise<Sending> {
  const exchange = bench.exchange({ body, headers });
  const answer = await run(transfer, exchange, prefiller);
  return { exchange, answer, ends: await exchange.watch.settled() };
}

interface Sending {
  readonly exchange: Exchange;
  readonly answer: Received;
  readonly ends: readonly string[];
}

describe('MooncakeTransfer', () => {
  it('tells prefill to keep the blocks, and which of its engines is meant', async () => {
    await send(asking(bootstrap), '{"max_tokens":50,"max_completion_tokens":100,"stream":true}', [
      'x-data-parallel-rank',
      '7',
    ]);
    expect(sentTo(prefiller)).toEqual({
      max_tokens: 1,
      max_completion_tokens: 1,
      stream: false,
      kv_transfer_params: {
        do_remote_decode: true,
        do_remote_prefill: false,
        transfer_id: expect.stringMatching(/^xfer-./),
      },
    });
    expect(prefiller.requests[0]?.headers['x-data-parallel-rank']).toBe('0');
  });

  it('tells decode where the blocks are, under the same id', async () => {
    await send(asking(bootstrap), '{"max_tokens":50,"max_completion_tokens":100}', ['x-data-parallel-rank', '7']);
    const { kv_transfer_params: given } = sentTo(prefiller);
    expect(sentTo(bench.engine)).toEqual({
      max_tokens: 50,
      max_completion_tokens: 100,
      kv_transfer_params: {
        do_remote_decode: false,
        do_remote_prefill: true,
        transfer_id: (given as { readonly transfer_id: string }).transfer_id, // as the test above has it
        remote_bootstrap_addr: bootstrap.url,
        remote_engine_id: 'e0',
      },
    });
    expect(bench.engine.requests[0]?.headers['x-data-parallel-rank']).toBe('7');
  });

  it('gives decode the engine of the rank that prefill was told', async () => {
    bootstrap.handler = answering('{"0":{"engine_id":"e0"},"1":{"engine_id":"e1"},"2":{"no_id":1}}');
    const transfer = asking(bootstrap);
    const pairs = new Set<string>();
    for (let nth = 0; nth < 100 && pairs.size < 2; nth++) {
      await send(transfer);
      const rank = String(prefiller.requests.at(-1)?.headers['x-data-parallel-rank']);
      const body = bench.engine.requests.at(-1)?.body.toString() ?? '';
      pairs.add(`${rank} ${/"remote_engine_id":"(\w+)"/.exec(body)?.[1]}`);
    }
    expect([...pairs].sort()).toEqual(['0 e0', '1 e1']);
  });

  it("asks without the client's headers", async () => {
    await send(asking(bootstrap), '{}', ['authorization', 'Bearer k']);
    expect(bootstrap.requests).toMatchObject([{ method: 'GET', path: '/query', headers: { 'x-request-id': 'req-1' } }]);
    expect(bootstrap.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('asks a worker once while its answer is good', async () => {
    const transfer = asking(bootstrap);
    for (let nth = 0; nth < 3; nth++) await send(transfer);
    expect(bootstrap.requests).toHaveLength(1);
    now = 10 * 60_000;
    await send(transfer);
    expect(bootstrap.requests).toHaveLength(2);
  });

  it('asks each worker for its own engines', async () => {
    const transfer = asking(bootstrap);
    await send(transfer);
    prefiller = await bench.worker();
    await send(transfer);
    expect(bootstrap.requests).toHaveLength(2);
  });

  it.each<[string, () => void]>([
    ['prefill answers 500', () => (prefiller.handler = answering('{}', 500))],
    ['prefill breaks the connection', () => (prefiller.handler = breakOff)],
    ['decode answers 500', () => (bench.engine.handler = answering('{}', 500))],
    ['decode breaks the connection', () => (bench.engine.handler = breakOff)],
  ])('asks anew when %s, since the worker may be another one', async (_, fail) => {
    const transfer = asking(bootstrap);
    fail();
    await send(transfer);
    await send(transfer);
    expect(bootstrap.requests).toHaveLength(2);
  });

  it('does not ask anew for a request that both refuse', async () => {
    const transfer = asking(bootstrap);
    prefiller.handler = bench.engine.handler = answering('{}', 400);
    await send(transfer);
    await send(transfer);
    expect(bootstrap.requests).toHaveLength(1);
  });

  it.each<[string, Handler, string]>([
    ['500', answering('{}', 500), 'status_5xx'],
    ['404', answering('{}', 404), 'status_4xx'],
    ['no JSON', answering('no'), 'invalid_answer'],
    ['a list', answering('[]'), 'invalid_answer'],
    ['no engine', answering('{}'), 'invalid_answer'],
    ['an engine that is no object', answering('{"0":{"engine_id":"e"},"1":"e"}'), 'invalid_answer'],
    ['no engine_id', answering('{"0":{"x":1}}'), 'invalid_answer'],
    ['an engine_id that is no text', answering('{"0":{"engine_id":5}}'), 'invalid_answer'],
    ['an empty engine_id', answering('{"0":{"engine_id":""}}'), 'invalid_answer'],
    ['a rank that is no number', answering('{"a\\r\\nb":{"engine_id":"e"}}'), 'invalid_answer'],
    ['a broken connection', breakOff, 'reset'],
  ])('answers 502 and sends neither leg when the worker says %s, and asks again', async (_, handler, failure) => {
    const transfer = asking(bootstrap);
    bootstrap.handler = handler;
    const { answer, ends } = await send(transfer);
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining('BadGateway') });
    expect(ends).toEqual([`prefill: ${failure}`]);
    expect([prefiller.requests, bench.engine.requests]).toEqual([[], []]);
    bootstrap.handler = answering(ONE_ENGINE);
    expect((await send(transfer)).answer.status).toBe(200);
  });

  it('answers 502 when nobody is there to be asked', async () => {
    const { answer, ends } = await send(asking({ url: `http://127.0.0.1:${(await deadTarget()).port}` }));
    expect([answer.status, ends]).toEqual([502, ['prefill: refused']]);
  });

  it('says nothing of what the worker said', async () => {
    const content = secret();
    const logs = recordLogs();
    bootstrap.handler = answering(`{"error":"${content}"}`);
    const { answer } = await send();
    expect(JSON.stringify([answer, logs])).not.toContain(content);
  });

  it('ends the query when the client leaves', async () => {
    const silent = await RawUpstream.start(async (peer) => {
      await peer.until('GET /query');
      exchange.leave();
    });
    closing(() => silent.close());
    const exchange = bench.exchange();
    await run(asking(silent), exchange, prefiller);
    await silent.peers[0]?.closed;
    expect(await exchange.watch.settled()).toEqual(['prefill: client_closed']);
    expect(prefiller.requests).toEqual([]);
  });

  it('does not ask anew because a client left', async () => {
    const transfer = asking(bootstrap);
    const exchange = bench.exchange();
    bench.engine.handler = () => {
      exchange.leave();
    };
    await run(transfer, exchange, prefiller);
    bench.engine.handler = answering('{}');
    await send(transfer);
    expect(bootstrap.requests).toHaveLength(1);
  });
});

describe('MooncakeBootstrap', () => {
  it('writes an address of IPv6 in brackets', () => {
    expect(new MooncakeBootstrap(bench.prefillClient, 8998).addressOf({ host: 'fd00::5', port: 1 })).toBe(
      'http://[fd00::5]:8998',
    );
  });

  it('gives the id as it came', async () => {
    bootstrap.handler = (_, response) => {
      json(response, '{"0": {"engine_id": "e\\u0030\\"\\\\"}}');
    };
    const asked = new MooncakeBootstrap(bench.prefillClient, portOf(bootstrap));
    const engines = await asked.engines(bench.exchange().request.scope, targetOf(prefiller));
    expect(engines.map(({ rank, id }) => [rank, id.toString()])).toEqual([['0', '"e\\u0030\\"\\\\"']]);
  });
});

function breakOff(...[, response]: Parameters<Handler>): void {
  response.destroy();
}
