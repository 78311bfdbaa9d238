import { afterEach, describe, expect, it } from '@jest/globals';
import type { SimulatorInput } from './simulator.config.ts';
import { CHAT, LegDriver, errorOf } from './testing/leg-driver.ts';

let legs: LegDriver;
afterEach(() => legs.close());

async function start(settings: NonNullable<SimulatorInput['sidecar']>): Promise<void> {
  legs = await LegDriver.start({ wait_ms: 200, ...settings });
}

describe('workers behind a sidecar with sglang', () => {
  const room = (digits: string, changes: object = {}): string =>
    JSON.stringify({
      ...CHAT,
      max_tokens: 5,
      stream: true,
      bootstrap_host: '127.0.0.1',
      bootstrap_port: 8998,
      ...changes,
    }).replace(/}$/, `,"bootstrap_room":${digits}}`);

  it('meet in a room of 63 bits, whoever comes first; prefill makes one token of what it is sent', async () => {
    await start({ kv_connector: 'sglang', wait_ms: 5000 });
    const decode = legs.send('decode', 'r', room('9223372036854775807'));
    const prefill = await legs.send('prefill', 'r', room('9223372036854775807'));
    expect((prefill.text.match(/"content":" ?\w/g) ?? []).length).toBe(1);
    expect(((await decode).text.match(/"content":" ?\w/g) ?? []).length).toBe(5);
    expect(legs.wasRemote).toBe(true);
  });

  it('do not meet where the last digits differ', async () => {
    await start({ kv_connector: 'sglang' });
    await legs.send('prefill', 'r', room('9223372036854775806'));
    const alone = await legs.send('decode', 'r', room('9223372036854775807'));
    expect([alone.status, errorOf(alone)]).toEqual([500, 'no prefill has handed the prompt over within 200 ms']);
  });

  it.each([
    { digits: '"1"', changes: {}, says: 'bootstrap_room must be an integer below 2^63' },
    { digits: '9223372036854775808', changes: {}, says: 'bootstrap_room must be an integer below 2^63' },
    { digits: '1', changes: { bootstrap_port: 1 }, says: 'bootstrap_port must be 8998, got 1' },
    { digits: '1', changes: { bootstrap_host: '10.0.0.1' }, says: 'bootstrap_host must be this worker, 127.0.0.1' },
    { digits: '1', changes: { bootstrap_host: undefined }, says: 'bootstrap_host must be there, too' },
  ])('refuse a prefill with room $digits and $changes', async ({ digits, changes, says }) => {
    await start({ kv_connector: 'sglang' });
    expect(errorOf(await legs.send('prefill', 'r', room(digits, changes)))).toContain(says);
  });
});

describe('workers behind a sidecar with mooncake', () => {
  const forPrefill = { do_remote_prefill: false, do_remote_decode: true, transfer_id: 'xfer-1' };

  async function engines(): Promise<{ address: string; ids: readonly string[] }> {
    await start({ kv_connector: 'mooncake', bootstrap_port: 0 });
    const address = legs.simulation.bootstrap?.url ?? '';
    const list = (await (await fetch(`${address}/query`)).json()) as Record<string, { engine_id: string }>; // the simulator's own words
    return { address, ids: Object.values(list).map(({ engine_id: id }) => id) };
  }

  const decode = (address: string, engine: string | undefined): object => ({
    ...CHAT,
    kv_transfer_params: {
      ...{ do_remote_prefill: true, do_remote_decode: false, transfer_id: 'xfer-1' },
      ...{ remote_bootstrap_addr: address, remote_engine_id: engine },
    },
  });

  it('hand over on the engine of the rank that prefill was given', async () => {
    const { address, ids } = await engines();
    const prefill = { ...CHAT, max_tokens: 1, stream: false, kv_transfer_params: forPrefill };
    expect((await legs.send('prefill', 'r', prefill, { 'x-data-parallel-rank': '1' })).status).toBe(200);
    expect((await legs.send('decode', 'r', decode(address, ids[0]))).status).toBe(500);
    expect((await legs.send('decode', 'r', decode(address, ids[1]))).status).toBe(200);
  });

  it('refuse a prefill without a rank, and a decode that was told another address', async () => {
    const { ids } = await engines();
    const prefill = { ...CHAT, max_tokens: 1, stream: false, kv_transfer_params: forPrefill };
    expect(errorOf(await legs.send('prefill', 'r', prefill))).toContain('x-data-parallel-rank must name a rank');
    expect(errorOf(await legs.send('decode', 'r', decode('http://127.0.0.1:1', ids[0])))).toContain(
      'remote_bootstrap_addr must be ',
    );
  });
});

describe('workers behind a sidecar with offloading', () => {
  it.each([
    { style: 'seed' as const, names: { decoder: 'decode', prefiller: 'prefill', source: 'p2p' } },
    {
      style: 'current' as const,
      names: { decoder: 'remote_decoder', prefiller: 'remote_prefiller', source: 'remote_kv_source' },
    },
  ])('hand over by the names of the style $style, and by no others', async ({ style, names }) => {
    await start({ kv_connector: 'offloading', p2p_key_style: style });
    const at = { kv_request_id: 'k', remote_host: '127.0.0.1', remote_port: 7777 };
    const prefill = (params: object): object => ({ ...CHAT, max_tokens: 1, stream: false, kv_transfer_params: params });
    const taker = { [names.decoder]: { kv_request_id: 'k' } };
    expect((await legs.send('prefill', 'r', prefill({ ...taker, [names.source]: at }))).status).toBe(200);
    const decode = { ...CHAT, kv_transfer_params: { [names.prefiller]: at } };
    expect((await legs.send('decode', 'r', decode)).status).toBe(200);
    expect(legs.wasRemote).toBe(true);
    for (const params of [{ other: { kv_request_id: 'k' } }, { ...taker, more: 1 }, { [names.decoder]: at }]) {
      expect((await legs.send('prefill', 'r2', prefill(params))).status).toBe(400);
    }
  });

  it.each([{ remote_port: 8000 }, { remote_host: '10.0.0.1' }, { kv_request_id: 'other' }])(
    'do not find the prompt where decode is told %j',
    async (change) => {
      await start({ kv_connector: 'offloading' });
      const at = { kv_request_id: 'k', remote_host: '127.0.0.1', remote_port: 7777, ...change };
      const params = { decode: { kv_request_id: 'k' } };
      await legs.send('prefill', 'r', { ...CHAT, max_tokens: 1, stream: false, kv_transfer_params: params });
      expect((await legs.send('decode', 'r', { ...CHAT, kv_transfer_params: { prefill: at } })).status).toBe(500);
    },
  );
});
