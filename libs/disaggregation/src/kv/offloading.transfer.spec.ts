import { beforeEach, describe, expect, it } from '@jest/globals';
import { hostPort } from '#protocol';
import { cleanup } from '#testing';
import type { FakeUpstream } from '#testing';
import { DisaggBench, recordLogs, sentTo, targetOf } from '../disagg.fixture.ts';
import { connector, run } from './transfer.fixture.ts';
import type { ConnectorOptions } from './transfer.fixture.ts';

let bench: DisaggBench;
let prefiller: FakeUpstream;
const closing = cleanup();

beforeEach(async () => {
  bench = await DisaggBench.start();
  closing(() => bench.close());
  prefiller = await bench.worker();
  recordLogs();
});

interface Params {
  readonly remote_decoder?: Record<string, unknown>;
  readonly remote_prefiller?: Record<string, unknown>;
  readonly remote_kv_source?: Record<string, unknown>;
}

async function send(
  body: string,
  source?: string,
  options: ConnectorOptions = {},
): Promise<{ prefill: Record<string, unknown>; decode: Record<string, unknown>; ofPrefill: Params; ofDecode: Params }> {
  const exchange = bench.exchange({ body });
  const transfer = connector('offloading', bench, { keys: 'current', ...options });
  const from = source === undefined ? undefined : hostPort(source);
  await run(transfer, exchange, prefiller, from);
  await exchange.watch.settled();
  const [prefill, decode] = [prefiller, bench.engine].map((worker) => sentTo(worker, worker.requests.length - 1));
  if (prefill === undefined || decode === undefined) throw new Error('both were called');
  // what the connector writes, by its specification
  const paramsOf = (sent: Record<string, unknown>): Params => sent['kv_transfer_params'] as Params;
  return { prefill, decode, ofPrefill: paramsOf(prefill), ofDecode: paramsOf(decode) };
}

describe('OffloadingTransfer', () => {
  it('gives prefill an id and no address, one token to make and no stream', async () => {
    const { prefill, ofPrefill } = await send('{"max_tokens":50,"max_completion_tokens":100,"stream":true}');
    expect(prefill).toMatchObject({ max_tokens: 1, max_completion_tokens: 1, stream: false });
    expect(ofPrefill).toEqual({ remote_decoder: { kv_request_id: expect.stringMatching(/./) } });
  });

  it("gives decode the same id, the prefiller's host and the hand-over port, and the client's limits", async () => {
    const { decode, ofPrefill, ofDecode } = await send('{"max_tokens":50,"max_completion_tokens":100,"stream":true}');
    expect(decode).toMatchObject({ max_tokens: 50, max_completion_tokens: 100, stream: true });
    const kv_request_id = ofPrefill.remote_decoder?.['kv_request_id'];
    expect(ofDecode).toEqual({ remote_prefiller: { kv_request_id, remote_host: '127.0.0.1', remote_port: 7777 } });
  });

  it('does not add max_completion_tokens to prefill', async () => {
    const { prefill } = await send('{"max_tokens":50}');
    expect(prefill).not.toHaveProperty('max_completion_tokens');
  });

  it('never leaves a minimum above the one token of prefill', async () => {
    const { prefill, decode } = await send('{"max_tokens":500,"min_tokens":100,"stream":true}');
    expect([prefill['min_tokens'], decode['min_tokens']]).toEqual([1, 100]);
    expect((await send('{"max_tokens":500}')).prefill).not.toHaveProperty('min_tokens');
  });

  it('lets prefill take a cached prefix under an id of its own, and not decode', async () => {
    const { ofPrefill, ofDecode } = await send('{}', '10.9.9.9:8000');
    const id = ofPrefill.remote_decoder?.['kv_request_id'];
    expect(ofPrefill.remote_kv_source).toEqual({
      kv_request_id: expect.stringMatching(/./),
      remote_host: '10.9.9.9',
      remote_port: 7777,
    });
    expect(ofPrefill.remote_kv_source?.['kv_request_id']).not.toBe(id);
    expect(Object.keys(ofDecode)).toEqual(['remote_prefiller']);
  });

  it('replaces the parameters of a client', async () => {
    const { ofPrefill, ofDecode } = await send('{"kv_transfer_params":{"do_remote_decode":true,"remote_host":"evil"}}');
    expect([Object.keys(ofPrefill), Object.keys(ofDecode)]).toEqual([['remote_decoder'], ['remote_prefiller']]);
  });

  it('gives two requests different ids', async () => {
    const [one, other] = [await send('{}'), await send('{}')];
    expect(one.ofPrefill).not.toEqual(other.ofPrefill);
  });

  it('gives the port of the rank that prefills', async () => {
    const transfer = connector('offloading', bench, { keys: 'current', dataParallelSize: 4 });
    const exchange = bench.exchange();
    const request = await exchange.transfer({ host: '127.0.0.1', port: 8002 });
    await exchange.received(transfer.run(request));
    await exchange.watch.settled();
    expect(sentTo(bench.engine)).toMatchObject({ kv_transfer_params: { remote_prefiller: { remote_port: 7779 } } });
  });

  it('writes an address of IPv6 without brackets', async () => {
    const exchange = bench.exchange();
    const request = await exchange.transfer({ host: '::1', port: targetOf(prefiller).port });
    await exchange.received(connector('offloading', bench, { keys: 'current' }).run(request));
    expect(sentTo(bench.engine)).toMatchObject({ kv_transfer_params: { remote_prefiller: { remote_host: '::1' } } });
  });

  it('can pull a cached prefix, which sglang, mooncake and shared-storage cannot', () => {
    expect(
      (['offloading', 'sglang', 'mooncake', 'shared-storage'] as const).map((name) => connector(name, bench).canPull),
    ).toEqual([true, false, false, false]);
  });
});
