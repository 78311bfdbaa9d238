import { describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import type { Handler } from '#testing';
import { pool } from './busy-sidecar.fixture.ts';
import { WatchedSidecar, aChat, refusing } from './watched-sidecar.fixture.ts';
import type { WatchedSetting } from './watched-sidecar.fixture.ts';

const later = cleanup();
const EC = ['--ec-connector=ec-nixl'];
const PARALLEL = ['--moriio-write-mode', '--moriio-parallel-dispatch', '--moriio-local-pod-ip=127.0.0.1'];

async function watched(setting: WatchedSetting = {}): Promise<WatchedSidecar> {
  const sidecar = await WatchedSidecar.start(setting);
  later(() => sidecar.close());
  return sidecar;
}

const untilAborted: Handler = async ({ aborted }) => {
  await aborted;
};

describe('the stages of a request', () => {
  it.each([
    { stages: [], images: 0, types: {}, timed: { decode: 1 } },
    { stages: ['prefill'], images: 0, types: { 'disagg_type="prefill-decode"': 1 }, timed: { prefill: 1, decode: 1 } },
    { stages: ['encode'], images: 2, types: { 'disagg_type="encode-decode"': 1 }, timed: { encode: 1, decode: 1 } },
    {
      stages: ['encode', 'prefill'],
      images: 1,
      types: { 'disagg_type="encode-prefill-decode"': 1 },
      timed: { encode: 1, prefill: 1, decode: 1 },
    },
    // nothing to encode: no encode duration, and another type
    { stages: ['encode'], images: 0, types: {}, timed: { decode: 1 } },
    {
      stages: ['encode', 'prefill'],
      images: 0,
      types: { 'disagg_type="prefill-decode"': 1 },
      timed: { prefill: 1, decode: 1 },
    },
  ] as const)(
    'named as $stages with $images images count as $types and are timed',
    async ({ stages, images, types, timed }) => {
      const sidecar = await watched({ flags: EC });
      const headers = sidecar.named(...stages);
      expect((await sidecar.send({ body: aChat({}, images), headers })).status).toBe(200);
      expect(await sidecar.samples('disagg_requests_total')).toEqual(types);
      expect(await sidecar.stages()).toEqual(timed);
    },
  );

  it.each([
    { path: '/v1/chat/completions', apiType: 'chat_completions' },
    { path: '/v1/completions', apiType: 'chat_completions' },
    { path: '/v1/messages', apiType: 'chat_completions' },
    { path: '/v1/responses', apiType: 'responses' },
    { path: '/inference/v1/generate', apiType: 'generate' },
    { path: '/v1/embeddings', apiType: 'passthrough' },
    { path: '/no/such/path', apiType: 'passthrough' },
  ])('of $path are counted with $apiType', async ({ path, apiType }) => {
    const sidecar = await watched();
    await sidecar.send({ path, body: {} });
    expect(await sidecar.samples('requests_total')).toEqual({ [`api_type="${apiType}"`]: 1 });
    const type = apiType === 'passthrough' ? 'none' : 'decode-only';
    expect(await sidecar.samples('request_duration_seconds_count')).toEqual({
      [`api_type="${apiType}",disagg_type="${type}"`]: 1,
    });
  });

  it('count an encode worker that fails as an encode error, and no duration', async () => {
    const sidecar = await watched({ flags: EC, encode: refusing(500) });
    const headers = sidecar.named('encode', 'prefill');
    expect((await sidecar.send({ body: aChat({}, 2), headers })).status).toBe(502);
    expect(await sidecar.stages()).toEqual({ 'stage="encode",reason="status_5xx"': 1 });
  });

  it.each([
    { prefill: refusing(400), status: 400, reason: 'status_4xx' },
    { prefill: refusing(503), status: 503, reason: 'status_5xx' },
    { prefill: refusing(302), status: 302, reason: 'status_3xx' },
  ])(
    'count a prefill refused with $status as a prefill error, and nothing of decode',
    async ({ prefill, status, reason }) => {
      const sidecar = await watched({ prefill });
      expect((await sidecar.send({ body: aChat(), headers: sidecar.named('prefill') })).status).toBe(status);
      expect(await sidecar.stages()).toEqual({ [`stage="prefill",reason="${reason}"`]: 1 });
    },
  );

  it('count nothing of a decode that is called off because prefill failed beside it', async () => {
    const sidecar = await watched({
      flags: PARALLEL,
      engine: untilAborted,
      prefill: async (_, response) => {
        await sidecar.workers.engine.received(1);
        response.writeHead(500).end();
      },
    });
    expect((await sidecar.send({ body: aChat(), headers: sidecar.named('prefill') })).status).toBe(500);
    await sidecar.workers.engine.requests[0]?.aborted;
    expect(await sidecar.stages()).toEqual({ 'stage="prefill",reason="status_5xx"': 1 });
  });

  it('count nothing of a decode that is called off because prefill took too long', async () => {
    const sidecar = await watched({
      flags: [...PARALLEL, '--moriio-parallel-decode-wait-timeout=50ms'],
      prefill: untilAborted,
      engine: untilAborted,
    });
    expect((await sidecar.send({ body: aChat(), headers: sidecar.named('prefill') })).status).toBe(504);
    await sidecar.workers.engine.requests[0]?.aborted;
    expect(await sidecar.stages()).toEqual({ 'stage="prefill",reason="timeout"': 1 });
  });

  it('count a decode that fails with its duration and as an error', async () => {
    const sidecar = await watched({ engine: refusing(500) });
    expect((await sidecar.send({ body: aChat(), headers: sidecar.named('prefill') })).status).toBe(500);
    expect(await sidecar.stages()).toEqual({ prefill: 1, decode: 1, 'stage="decode",reason="status_5xx"': 1 });
    expect(await sidecar.samples('responses_total')).toEqual({ 'status="5xx",outcome="completed"': 1 });
  });

  it('count a client that leaves as a decode error', async () => {
    const sidecar = await watched({
      engine: (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
      },
    });
    const leaving = new AbortController();
    const answer = await fetch(`${sidecar.url}/v1/completions`, { method: 'POST', body: '{}', signal: leaving.signal });
    expect(await sidecar.samples('requests_running')).toEqual({ '': 1 });
    leaving.abort();
    await expect(answer.text()).rejects.toThrow('aborted');
    await sidecar.idle();
    await sidecar.failed('stage="decode",reason="client_closed"');
    expect(await sidecar.stages()).toEqual({ decode: 1, 'stage="decode",reason="client_closed"': 1 });
    expect(await sidecar.samples('responses_total')).toEqual({ 'status="2xx",outcome="client_closed"': 1 });
    expect(await sidecar.samples('requests_running')).toEqual({ '': 0 });
  });

  it('count a detached prefill that fails behind a good answer', async () => {
    const sidecar = await watched({
      flags: ['--kv-connector=offloading'],
      prefill: async (_, response) => {
        await sidecar.workers.engine.received(1);
        response.writeHead(500).end();
      },
    });
    expect((await sidecar.send({ body: aChat(), headers: sidecar.named('prefill') })).status).toBe(200);
    await sidecar.failed('stage="prefill",reason="status_5xx"');
    expect(await sidecar.stages()).toEqual({ decode: 1, 'stage="prefill",reason="status_5xx"': 1 });
  });

  it('fall back to prefill and decode when no encode worker is in the pool', async () => {
    const { surroundings = {}, flags } = pool('127.0.0.1');
    const sidecar = await watched({ surroundings, flags: [...flags, ...EC] });
    const headers = { ...sidecar.named('prefill'), 'x-encoder-hosts-ports': '10.9.9.9:80,10.9.9.8:80' };
    expect((await sidecar.send({ body: aChat({}, 1), headers })).status).toBe(200);
    expect(await sidecar.samples('disagg_requests_total')).toEqual({ 'disagg_type="prefill-decode"': 1 });
    expect(await sidecar.samples('denied_targets_total')).toEqual({ 'role="encode"': 2 });
    expect(await sidecar.stages()).toEqual({ prefill: 1, decode: 1 });
  });
});

describe('a worker that may not be called', () => {
  it('is counted by its role, and no stage of the request runs', async () => {
    const sidecar = await watched(pool());
    expect((await sidecar.send({ body: aChat(), headers: sidecar.named('prefill') })).status).toBe(403);
    expect(await sidecar.samples('denied_targets_total')).toEqual({ 'role="prefill"': 1 });
    expect(await sidecar.samples('skipped_stages_total')).toEqual({ 'reason="denied"': 1 });
    expect(await sidecar.stages()).toEqual({});
  });

  it('is counted as a source of cached blocks, without which the request goes on', async () => {
    const { surroundings = {}, flags } = pool('127.0.0.1');
    const sidecar = await watched({ surroundings, flags: [...flags, '--enable-p2p-pull'] });
    const headers = { 'x-kv-cache-source-host-port': '10.9.9.9:8000' };
    expect((await sidecar.send({ body: aChat(), headers })).status).toBe(200);
    expect(await sidecar.samples('denied_targets_total')).toEqual({ 'role="kv_cache_source"': 1 });
  });

  it('is counted where its name is no host and port', async () => {
    const sidecar = await watched();
    expect((await sidecar.send({ body: aChat(), headers: { 'x-prefiller-host-port': 'http://a/b' } })).status).toBe(
      502,
    );
    expect(await sidecar.samples('denied_targets_total')).toEqual({ 'role="prefill"': 1 });
    expect(await sidecar.stages()).toEqual({ 'stage="prefill",reason="malformed_target"': 1 });
  });
});

describe('the work of connectors', () => {
  it.each([
    { body: { prompt_logprobs: 1 }, reason: 'prompt_logprobs' },
    { body: { echo: true, logprobs: 1 }, reason: 'echo_logprobs' },
  ])('is counted by $reason where it was left out', async ({ body, reason }) => {
    const sidecar = await watched();
    await sidecar.send({ body: aChat(body), headers: sidecar.named('prefill') });
    expect(await sidecar.samples('skipped_stages_total')).toEqual({ [`reason="${reason}"`]: 1 });
    expect(await sidecar.samples('disagg_requests_total')).toEqual({});
  });

  it('is counted: retries, items, cached tokens, chunks', async () => {
    let prefills = 0;
    const cached = { choices: [{}], usage: { prompt_tokens_details: { cached_tokens: 7 } }, kv_transfer_params: {} };
    const flags = ['--prefill-max-retries=2', '--prefill-retry-backoff=1ms', '--decode-chunk-size=2', ...EC];
    const sidecar = await watched({
      flags,
      prefill: (_, response) => {
        response.writeHead(++prefills < 3 ? 503 : 200).end(prefills < 3 ? '' : JSON.stringify(cached));
      },
      engine: (_, response) => {
        const message = { content: 'x' };
        response.end(
          JSON.stringify({ choices: [{ message, finish_reason: 'length' }], usage: { completion_tokens: 2 } }),
        );
      },
    });
    await sidecar.send({ body: aChat({}, 3), headers: sidecar.named('encode') });
    await sidecar.send({ body: aChat({ max_tokens: 6 }), headers: sidecar.named('prefill') });
    const counted = await Promise.all(
      ['prefill_retries', 'encode_items', 'cached_tokens', 'decode_chunks'].map((name) =>
        sidecar.samples(`${name}_total`),
      ),
    );
    expect(counted).toEqual([2, 3, 7, 3].map((amount) => ({ '': amount })));
  });
});
