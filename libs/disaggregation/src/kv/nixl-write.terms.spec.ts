import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { cleanup } from '#testing';
import { answering, parsed, sentTo } from '../disagg.fixture.ts';
import { NixlBench } from './nixl.fixture.ts';
import type { NixlOptions } from './nixl.fixture.ts';
import type { MoriioSettings } from './moriio/moriio.settings.ts';

const later = cleanup();

beforeEach(() => {
  Logger.overrideLogger(false);
});

const LOCAL = { writeMode: true, podIp: '10.1.0.1', tpSize: 4 };
const HOSTS = {
  dpSize: 16,
  dpSizeLocal: 8,
  remoteHosts: ['10.2.0.1', '10.2.0.2'],
  decodeHosts: ['10.1.0.1', '10.1.0.2'],
};

async function aBench(moriio: Partial<MoriioSettings>, options: NixlOptions = {}): Promise<NixlBench> {
  const bench = await NixlBench.start({ ...options, moriio: { ...LOCAL, ...moriio } });
  later(() => bench.close());
  return bench;
}

function paramsOf(upstream: NixlBench['engine']): unknown {
  return sentTo(upstream)['kv_transfer_params'];
}

/** The ranks that a leg was given, by header and by parameters. */
function ranksOf(upstream: NixlBench['engine']): unknown[] {
  const [request] = upstream.requests;
  if (request === undefined) throw new Error('it was called');
  return [request.headers['x-data-parallel-rank'], paramsOf(upstream)];
}

describe('NixlWriteTerms', () => {
  it('tell prefill where to write to, and leave to it what only it knows', async () => {
    const bench = await aBench({});
    await bench.run({});
    expect(paramsOf(bench.prefiller)).toEqual({
      do_remote_decode: true,
      do_remote_prefill: false,
      remote_engine_id: null,
      remote_block_ids: null,
      remote_host: '10.1.0.1',
      remote_port: null,
      remote_notify_port: 61_005,
      remote_dp_rank: 0,
      remote_dp_rank_override: true,
      remote_handshake_port: 6301,
      transfer_id: expect.stringMatching(/^tx[0-9a-f-]{36}$/),
      tp_size: 4,
      remote_dp_size: 1,
    });
    expect(bench.prefiller.requests[0]?.headers).not.toHaveProperty('x-data-parallel-rank');
  });

  it('give decode what prefill says, with the transfer that it was asked for', async () => {
    const bench = await aBench({}, { prefill: answering('{"kv_transfer_params":{"x":18446744073709551615}}') });
    await bench.run({});
    const { transfer_id } = Object(paramsOf(bench.prefiller)) as { transfer_id: string };
    expect(bench.engine.requests[0]?.body.toString()).toBe(
      '{"kv_transfer_params":{"x":18446744073709551615,"remote_dp_rank":0,"remote_dp_rank_override":true,' +
        `"transfer_id":"${transfer_id}","remote_notify_port":61005,"remote_handshake_port":6301,"remote_dp_size":1}}`,
    );
  });

  it('fill in only what prefill left out, and the rank in any case', async () => {
    const given = {
      transfer_id: 'theirs',
      remote_notify_port: 1,
      remote_handshake_port: 2,
      remote_dp_size: 3,
      remote_hosts: ['x'],
      remote_dp_size_local: 4,
      remote_dp_rank_override: false,
    };
    const prefill = answering(JSON.stringify({ kv_transfer_params: { ...given, remote_dp_rank: 5 } }));
    const bench = await aBench(HOSTS, { prefill });
    await bench.run({});
    expect(paramsOf(bench.engine)).toEqual({ ...given, remote_dp_rank: 5, remote_dp_rank_override: true });
    expect(bench.engine.requests[0]?.headers['x-data-parallel-rank']).toBe('5');
  });

  it('name one rank to both legs where there are several, by header and by parameter', async () => {
    const bench = await aBench({ dpSize: 8 }, { prefill: answering('{"kv_transfer_params":{"remote_dp_rank":"5"}}') });
    await bench.run({});
    const { remote_dp_rank: rank } = Object(paramsOf(bench.prefiller)) as { remote_dp_rank: number };
    expect(rank).toBeGreaterThanOrEqual(0);
    expect(rank).toBeLessThan(8);
    const named = [String(rank), expect.objectContaining({ remote_dp_rank: rank, remote_dp_rank_override: true })];
    expect([ranksOf(bench.prefiller), ranksOf(bench.engine)]).toEqual([named, named]);
  });

  it('name the pods of the other side to each leg', async () => {
    const bench = await aBench(HOSTS, { prefill: answering('{"kv_transfer_params":{}}') });
    await bench.run({});
    const sizes = { remote_dp_size: 16, remote_dp_size_local: 8 };
    expect(paramsOf(bench.prefiller)).toMatchObject({ ...sizes, remote_hosts: HOSTS.decodeHosts });
    expect(paramsOf(bench.engine)).toMatchObject({ ...sizes, remote_hosts: HOSTS.remoteHosts });
  });

  it('take a name of the pod for its address', async () => {
    const bench = await aBench({ podIp: 'localhost' });
    await bench.run({});
    expect(paramsOf(bench.prefiller)).toMatchObject({ remote_host: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) });
  });

  it('give decode null where prefill says nothing', async () => {
    const bench = await aBench({ dpSize: 8 }, { prefill: answering('{}') });
    await bench.run({});
    expect(bench.engine.requests.map(parsed)).toEqual([{ kv_transfer_params: null }]);
  });
});
