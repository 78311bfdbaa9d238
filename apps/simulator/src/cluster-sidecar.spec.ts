import { afterEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from './control/json-value.ts';
import type { SimulatorInput } from './simulator.config.ts';
import { CAPPED, CHAT, ENCODE, IMAGE_CHAT, LegDriver, errorOf } from './testing/leg-driver.ts';

const READ = {
  do_remote_decode: true,
  do_remote_prefill: false,
  remote_engine_id: null,
  remote_block_ids: null,
  remote_host: null,
  remote_port: null,
};

let legs: LegDriver;
afterEach(() => legs.close());

async function start(settings: NonNullable<SimulatorInput['sidecar']>): Promise<void> {
  legs = await LegDriver.start({ wait_ms: 200, ...settings });
}

describe('workers behind a sidecar with nixlv2', () => {
  it('decode with what prefill answered, and once', async () => {
    await start({});
    const { json } = await legs.send('prefill', 'r', { ...CHAT, ...CAPPED, kv_transfer_params: READ });
    const body = { ...CHAT, kv_transfer_params: json['kv_transfer_params'] };
    expect(await legs.send('decode', 'r', body)).toMatchObject({ status: 200 });
    expect(legs.wasRemote).toBe(true);
    expect(errorOf(await legs.send('decode', 'r', body))).toContain('blocks that were taken before');
  });

  it('decode by themselves where there are no parameters', async () => {
    await start({});
    for (const params of [{}, { kv_transfer_params: null }]) {
      expect((await legs.send('decode', 'r', { ...CHAT, ...params })).status).toBe(200);
      expect(legs.wasRemote).toBe(false);
    }
  });

  it.each([
    {
      what: 'a null that is absent',
      change: { kv_transfer_params: { ...READ, remote_port: undefined } },
      says: 'must have do_remote_decode, ',
    },
    {
      what: 'a field that is not null',
      change: { kv_transfer_params: { ...READ, remote_host: 'h' } },
      says: 'remote_host must be null',
    },
    {
      what: 'a flag of the other side',
      change: { kv_transfer_params: { ...READ, do_remote_prefill: true } },
      says: 'do_remote_prefill must be false',
    },
    { what: 'no parameters', change: {}, says: 'must have do_remote_decode, ' },
    {
      what: 'a limit that was not added',
      change: { kv_transfer_params: READ, max_completion_tokens: undefined },
      says: 'max_completion_tokens must be 1',
    },
    { what: 'a stream', change: { kv_transfer_params: READ, stream: true }, says: 'stream must be false' },
  ])('refuse a prefill with $what', async ({ change, says }) => {
    await start({});
    const refused = await legs.send('prefill', 'r', { ...CHAT, ...CAPPED, ...change });
    expect([refused.status, errorOf(refused)]).toEqual([400, expect.stringContaining(says)]);
  });

  it.each([
    { what: 'a field that was changed', id: 'r', change: { tp_size: 2 }, says: 'is not what prefill answered' },
    {
      what: 'blocks of nobody',
      id: 'r',
      change: { remote_block_ids: [[99]] },
      says: 'blocks that no prefill has issued',
    },
    { what: 'another x-request-id', id: 'other', change: {}, says: 'different x-request-ids' },
  ])('refuse a decode with $what', async ({ id, change, says }) => {
    await start({});
    const { json } = await legs.send('prefill', 'r', { ...CHAT, ...CAPPED, kv_transfer_params: READ });
    const params = { ...(json['kv_transfer_params'] as JsonObject), ...change }; // an object, of the answer
    const refused = await legs.send('decode', id, { ...CHAT, kv_transfer_params: params });
    expect([refused.status, errorOf(refused)]).toEqual([400, expect.stringContaining(says)]);
  });

  it.each([
    { headers: { 'x-prefiller-host-port': 'a:1' }, says: 'x-prefiller-host-port is for the sidecar' },
    { headers: { 'x-request-id': 'a, b' }, says: 'a call has one x-request-id' },
  ])('refuse $headers', async ({ headers, says }) => {
    await start({});
    expect(errorOf(await legs.send('decode', 'r', CHAT, headers))).toBe(says);
  });

  it('take the source of a cached prefix, beside the parameters and alone', async () => {
    await start({});
    const p2p = { kv_request_id: 'k', remote_host: '10.0.0.9', remote_port: 7777 };
    const prefill = { ...CHAT, ...CAPPED, kv_transfer_params: { ...READ, p2p } };
    expect((await legs.send('prefill', 'r', prefill)).status).toBe(200);
    expect((await legs.send('decode', 'r', { ...CHAT, kv_transfer_params: { p2p } })).status).toBe(200);
    const wrong = { ...CHAT, kv_transfer_params: { p2p: { ...p2p, remote_port: '7777' } } };
    expect(errorOf(await legs.send('decode', 'r', wrong))).toContain('remote_port must be a port');
  });
});

describe('workers behind a sidecar with shared-storage', () => {
  it('answer cache_threshold where too little is cached, and from the store behind a prefill', async () => {
    await start({ kv_connector: 'shared-storage' });
    const first = await legs.send('decode', 'r', { ...CHAT, cache_hit_threshold: 0.8 });
    expect(first.json['choices']).toMatchObject([{ finish_reason: 'cache_threshold', message: { content: '' } }]);
    const stream = await legs.send('decode', 'r', { ...CHAT, cache_hit_threshold: 0.8, stream: true });
    expect(stream.text).toContain('"finish_reason":"cache_threshold"');
    expect((await legs.send('prefill', 'r', { ...CHAT, ...CAPPED, cache_hit_threshold: 0 })).status).toBe(200);
    await legs.send('decode', 'r', { ...CHAT, cache_hit_threshold: 0 });
    expect(legs.wasRemote).toBe(true);
  });

  it('refuse a prefill without a threshold of 0', async () => {
    await start({ kv_connector: 'shared-storage' });
    const refused = await legs.send('prefill', 'r', { ...CHAT, ...CAPPED, cache_hit_threshold: 0.8 });
    expect(errorOf(refused)).toBe('cache_hit_threshold must be 0 for a prefill');
  });
});

describe('workers behind a sidecar with an encode stage', () => {
  const NEXT = { ...IMAGE_CHAT, ...CAPPED, kv_transfer_params: READ, cache_hit_threshold: 0 };

  it('demand what the encode workers of the request answered', async () => {
    await start({ ec_connector: 'ec-nixl' });
    const { json } = await legs.send('encode', 'r-enc-0', ENCODE);
    const ec_transfer_params = json['ec_transfer_params'] as JsonObject; // an object, of the answer
    expect(errorOf(await legs.send('prefill', 'r', NEXT))).toContain('ec_transfer_params must be an object');
    expect(errorOf(await legs.send('prefill', 'r', { ...NEXT, ec_transfer_params: {} }))).toContain('lacks');
    const other = Object.fromEntries(Object.keys(ec_transfer_params).map((hash) => [hash, { peer_host: 'x' }]));
    expect(errorOf(await legs.send('prefill', 'r', { ...NEXT, ec_transfer_params: other }))).toContain('is not what');
    expect(errorOf(await legs.send('prefill', 'r', { ...NEXT, ec_transfer_params, cache_hit_threshold: 1 }))).toContain(
      'cache_hit_threshold must be 0 behind an encode',
    );
    expect((await legs.send('prefill', 'r', { ...NEXT, ec_transfer_params })).status).toBe(200);
    expect(legs.simulation.requests.of('r').map(({ phase }) => phase)).toContain('encode');
  });

  it('encode by themselves what nobody has encoded for the request', async () => {
    await start({ ec_connector: 'ec-nixl' });
    await legs.send('encode', 'other-enc-0', ENCODE);
    expect((await legs.send('decode', 'r', IMAGE_CHAT)).status).toBe(200);
  });

  it('say nothing of a common store, and want to be told nothing', async () => {
    await start({ ec_connector: 'ec-example' });
    expect((await legs.send('encode', 'r-enc-0', ENCODE)).json).not.toHaveProperty('ec_transfer_params');
    expect(errorOf(await legs.send('prefill', 'r', { ...NEXT, ec_transfer_params: {} }))).toContain(
      'ec_transfer_params is for what an encode worker has answered',
    );
    expect((await legs.send('prefill', 'r', NEXT)).status).toBe(200);
  });

  it.each([
    { id: 'r-enc-0', headers: { authorization: 'Bearer a' }, says: 'encode takes no authorization' },
    { id: 'r', headers: {}, says: 'x-request-id must end in -enc-<index>' },
  ])('refuse an encode of $id with $headers', async ({ id, headers, says }) => {
    await start({ ec_connector: 'ec-nixl' });
    expect(errorOf(await legs.send('encode', id, ENCODE, headers))).toContain(says);
  });

  it('fetch media by their URL', async () => {
    await start({ ec_connector: 'ec-nixl' });
    const gone = { type: 'image_url', image_url: { url: 'http://127.0.0.1:1/a.png' } };
    const body = { ...ENCODE, messages: [{ role: 'user', content: [gone] }] };
    expect(errorOf(await legs.send('encode', 'r-enc-0', body))).toBe('a medium could not be fetched');
  });
});
