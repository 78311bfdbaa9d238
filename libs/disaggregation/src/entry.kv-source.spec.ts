import { beforeEach, describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import type { FakeUpstream } from '#testing';
import { DisaggBench, recordLogs, sentTo } from './disagg.fixture.ts';
import type { LogLine, Sent } from './disagg.fixture.ts';
import { Listed, addressOf, enter, entryOf } from './entry.fixture.ts';
import type { EntryParts } from './entry.service.ts';
import { connector } from './kv/transfer.fixture.ts';

let bench: DisaggBench;
let prefiller: FakeUpstream;
let logs: LogLine[];
const closing = cleanup();

beforeEach(async () => {
  bench = await DisaggBench.start();
  closing(() => bench.close());
  prefiller = await bench.worker();
  logs = recordLogs();
});

const SOURCE = 'x-kv-cache-source-host-port';
const PREFILL = 'x-prefiller-host-port';
const BODY = '{"max_tokens":50, "seed":9007199254740993}';
const pulled = (remote_host: string, remote_port: number): object => ({
  remote_kv_source: { kv_request_id: expect.stringMatching(/./), remote_host, remote_port },
});

describe('EntryService with a KV cache source', () => {
  const send = (
    headers: readonly string[],
    sent: Sent = {},
    parts: Partial<EntryParts> = {},
  ): ReturnType<typeof enter> => {
    const kv = connector('offloading', bench, { keys: 'current', dataParallelSize: 8 });
    return enter(bench, entryOf(bench, { kv, ...parts }), { body: BODY, ...sent, headers });
  };

  it('decodes with the cached prefix, and changes nothing else', async () => {
    const { exchange } = await send([SOURCE, '10.9.9.9:8000']);
    expect(sentTo(bench.engine)).toMatchObject({ max_tokens: 50, kv_transfer_params: pulled('10.9.9.9', 7777) });
    expect(bench.engine.requests[0]?.body.toString().startsWith(BODY.slice(0, -1))).toBe(true);
    expect(exchange.watch.facts).toMatchObject({ disaggType: 'decode-only', kvCacheSource: '10.9.9.9:8000' });
  });

  it('takes the place of the parameters of a client', async () => {
    await send([SOURCE, '10.9.9.9:8000'], { body: '{"kv_transfer_params":{"do_remote_decode":true,"x":1}}' });
    expect(sentTo(bench.engine)).toEqual({ kv_transfer_params: pulled('10.9.9.9', 7777) });
  });

  it('gives two requests different ids', async () => {
    await send([SOURCE, '10.9.9.9:8000']);
    await send([SOURCE, '10.9.9.9:8000']);
    expect(sentTo(bench.engine, 0)).not.toEqual(sentTo(bench.engine, 1));
  });

  it('lets prefill take the prefix, and not decode', async () => {
    await send([SOURCE, '10.9.9.9:8000', PREFILL, addressOf(prefiller)]);
    expect(sentTo(prefiller)['kv_transfer_params']).toMatchObject(pulled('10.9.9.9', 7777));
    expect(sentTo(bench.engine)['kv_transfer_params']).not.toHaveProperty('remote_kv_source');
  });

  it.each([
    ['the prefiller itself', (address: string) => address],
    ['the prefiller, with a scheme in its header', (address: string) => `http://${address}`],
  ])('pulls nothing where the source is %s', async (_, written) => {
    await send([SOURCE, addressOf(prefiller), PREFILL, written(addressOf(prefiller))]);
    expect(Object.keys(sentTo(prefiller)['kv_transfer_params'] ?? {})).toEqual(['remote_decoder']);
  });

  it('pulls from another rank of the pod of the prefiller', async () => {
    await send([SOURCE, '127.0.0.1:8003', PREFILL, addressOf(prefiller)]);
    expect(sentTo(prefiller)['kv_transfer_params']).toMatchObject(pulled('127.0.0.1', 7780));
  });

  it.each([
    ['is this very engine', '10.0.0.1:8000', 0],
    ['is this very engine of another rank', '10.0.0.1:8003', 3],
  ])('forwards the request as it came where the source %s', async (_, source, rank) => {
    await send([SOURCE, source], { rank });
    expect(bench.engine.requests[0]?.body.toString()).toBe(BODY);
  });

  it('pulls from another rank of this pod', async () => {
    await send([SOURCE, '10.0.0.1:8003']);
    expect(sentTo(bench.engine)['kv_transfer_params']).toEqual(pulled('10.0.0.1', 7780));
  });

  it.each([
    ['is absent', [], undefined],
    ['is no target', [SOURCE, 'not-a-host-port'], 'malformed'],
    ['has no host', [SOURCE, ':8000'], 'malformed'],
    ['is a list', [SOURCE, 'a:1,b:2'], 'malformed'],
    ['has a scheme', [SOURCE, 'http://1.2.3.4:8000'], 'malformed'],
    ['is not allowed', [SOURCE, '10.9.9.9:8000'], 'not allowed'],
  ])('forwards the request as it came where the source %s', async (_, headers, why) => {
    const { exchange } = await send(headers, {}, { allowList: new Listed('127.0.0.1') });
    expect(bench.engine.requests[0]?.body.toString()).toBe(BODY);
    expect(exchange.watch.facts).not.toHaveProperty('kvCacheSource');
    expect(logs.map(({ level, fields }) => ({ level, fields }))).toMatchObject(
      why === undefined ? [] : [{ level: 'log', fields: { why } }],
    );
  });

  it.each(['not-a-host-port', '10.9.9.9:8000'])(
    'first asks whether the connector can pull: %s is of no interest to one that cannot',
    async (source) => {
      const kv = connector('shared-storage', bench);
      await send([SOURCE, source], {}, { kv, allowList: new Listed() });
      expect(bench.engine.requests[0]?.body.toString()).toBe(BODY);
      expect(logs).toMatchObject([{ level: 'debug', fields: { why: 'cannot pull' } }]);
    },
  );

  it('pulls nothing behind an encode stage', async () => {
    const encoder = await bench.worker();
    const headers = [SOURCE, '10.9.9.9:8000', 'x-encoder-hosts-ports', addressOf(encoder)];
    await send(headers);
    await send([...headers, PREFILL, addressOf(prefiller)]);
    expect(sentTo(bench.engine)).not.toHaveProperty('kv_transfer_params');
    expect(Object.keys(sentTo(prefiller)['kv_transfer_params'] ?? {})).toEqual(['remote_decoder']);
  });

  it('gives way to another rank on the base listener, and on no other', async () => {
    const headers = [SOURCE, '10.9.9.9:8000', 'x-data-parallel-host-port', '10.0.0.1:8001'];
    const { answer } = await send(headers);
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('x-data-parallel-host-port') });
    await send(headers, { rank: 1 });
    expect(sentTo(bench.engine)).toHaveProperty('kv_transfer_params');
  });

  it.each(['{"prompt_logprobs":1}', '{"echo":true,"logprobs":1}'])(
    'pulls nothing for %s, which takes the whole prompt to compute',
    async (body) => {
      await send([SOURCE, '10.9.9.9:8000'], { body });
      expect(bench.engine.requests[0]?.body.toString()).toBe(body);
    },
  );

  it('answers 400 to a body that is no JSON object', async () => {
    const { answer } = await send([SOURCE, '10.9.9.9:8000'], { body: 'null' });
    expect(answer.status).toBe(400);
    expect(bench.engine.requests).toEqual([]);
  });
});
