import { describe, expect, it } from '@jest/globals';
import { cleanup, json } from '#testing';
import { SIDECAR_SPANS } from '#telemetry/sidecar';
import { ATTRIBUTES } from '../../libs/telemetry/src/attributes.ts';
import { SIDECAR_ATTRIBUTES } from '../../libs/telemetry/src/sidecar/sidecar-attributes.ts';
import { SpanRecorder, only } from '../../libs/telemetry/src/spans.fixture.ts';
import { until } from './telemetry.fixture.ts';
import { chunk, driveEverything, mooncakeWorker, pool } from './busy-sidecar.fixture.ts';
import { CHAT, SECRET, WatchedSidecar, aChat, refusing, streaming } from './watched-sidecar.fixture.ts';
import type { WatchedSetting } from './watched-sidecar.fixture.ts';

const TRACE = 'a'.repeat(32);
const PARENT = 'b'.repeat(16);
const TRACED = { traceparent: `00-${TRACE}-${PARENT}-01` };
const EC = ['--ec-connector=ec-nixl'];
const CHAT_SPAN = `llm_d.pd_proxy.POST ${CHAT}`;

const later = cleanup();

async function watched(setting: WatchedSetting = {}): Promise<WatchedSidecar & { readonly spans: SpanRecorder }> {
  const spans = new SpanRecorder();
  const sidecar = await WatchedSidecar.start({ spans, ...setting });
  later(() => sidecar.close());
  return Object.assign(sidecar, { spans });
}

/** Names of spans, each behind the name of its parent, in any order. */
function tree({ spans }: SpanRecorder): readonly string[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return spans.map(({ name, parentId }) => `${names.get(parentId ?? '') ?? ''} > ${name}`).toSorted();
}

const beneath = (...names: readonly string[]): readonly string[] =>
  [` > ${CHAT_SPAN}`, ...names.map((name) => `${CHAT_SPAN} > ${name}`)].toSorted();

describe('the spans of a sidecar', () => {
  it.each([
    { stages: [], images: 0, calls: ['decode'] },
    { stages: ['prefill'], images: 0, calls: ['prefill', 'decode'] },
    { stages: ['encode'], images: 2, calls: ['encode', 'encode', 'decode'] },
    { stages: ['encode', 'prefill'], images: 1, calls: ['encode', 'prefill', 'decode'] },
  ] as const)('are one for the request, and one beneath for each call: $calls', async ({ stages, images, calls }) => {
    const sidecar = await watched({ flags: EC });
    await sidecar.send({ body: aChat({}, images), headers: sidecar.named(...stages) });
    expect(tree(sidecar.spans)).toEqual(beneath(...calls));
    expect(sidecar.spans.spans.filter(({ kind }) => kind === 'CLIENT')).toHaveLength(calls.length);
  });

  it('stand beneath that of the client, by the ids that it sent', async () => {
    const sidecar = await watched();
    await sidecar.send({ body: aChat(), headers: TRACED });
    expect(only(sidecar.spans.spans, 'SERVER')).toMatchObject({ traceId: TRACE, parentId: PARENT, isError: false });
  });

  it('have one for each try of a prefill', async () => {
    const sidecar = await watched({
      prefill: refusing(503),
      flags: ['--prefill-max-retries=2', '--prefill-retry-backoff=1ms'],
    });
    await sidecar.send({ body: aChat(), headers: sidecar.named('prefill') });
    expect(tree(sidecar.spans)).toEqual(beneath('prefill', 'prefill', 'prefill'));
  });

  it('have one for what mooncake asks before, and none when it knows', async () => {
    const sidecar = await watched({ prefill: mooncakeWorker, flags: ['--kv-connector=mooncake'] });
    for (let request = 0; request < 2; request++)
      await sidecar.send({ body: aChat(), headers: sidecar.named('prefill') });
    await ended(sidecar.spans);
    const names = sidecar.spans.spans.map(({ name }) => name).toSorted();
    expect(names).toEqual(['bootstrap', 'decode', 'decode', CHAT_SPAN, CHAT_SPAN, 'prefill', 'prefill']);
  });

  it('have one for each call of chunked decode', async () => {
    const sidecar = await watched({ flags: ['--decode-chunk-size=2'], engine: chunk });
    await sidecar.send({ body: aChat({ max_tokens: 6 }) });
    expect(tree(sidecar.spans)).toEqual(beneath('decode', 'decode', 'decode'));
  });

  it('are none of what is passed through in no trace, as the scrapes of the endpoint picker are', async () => {
    const sidecar = await watched();
    await sidecar.send({ path: '/metrics' });
    expect([sidecar.spans.begun, sidecar.workers.engine.requests[0]?.headers['traceparent']]).toEqual([0, undefined]);
  });

  it('are two of what is passed through in a trace, without its path', async () => {
    const sidecar = await watched();
    await sidecar.send({ path: '/v1/models?a=1', headers: TRACED });
    expect(tree(sidecar.spans)).toEqual([' > llm_d.pd_proxy.GET', 'llm_d.pd_proxy.GET > passthrough']);
    expect(only(sidecar.spans.spans, 'CLIENT').attributes).toMatchObject({ 'url.path': '/v1/models' });
  });

  it('are none with tracing off', async () => {
    const sidecar = await WatchedSidecar.start();
    later(() => sidecar.close());
    await sidecar.send({ body: aChat(), headers: TRACED });
    expect(sidecar.telemetry.interceptors).toEqual([]);
    expect(JSON.stringify(sidecar.lines)).not.toContain('trace_id');
  });

  it('say what became of the request, and nothing of what is in it', async () => {
    const sidecar = await watched({ engine: streaming('a') });
    await sidecar.send({
      body: aChat({ stream: true }),
      headers: { ...sidecar.named('prefill'), 'x-request-id': 'r-1' },
    });
    const target = new URL(sidecar.workers.prefill.url);
    expect(only(sidecar.spans.spans, 'SERVER').attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': CHAT,
      'http.response.status_code': 200,
      'llm_d.openai.api': 'chat_completions',
      'llm_d.pd_proxy.request_id': 'r-1',
      'llm_d.pd_proxy.rank': 0,
      'llm_d.pd_proxy.kv_connector': 'some-kv',
      'llm_d.pd_proxy.ec_connector': 'some-ec',
      'llm_d.pd_proxy.prefill_candidates': 1,
      'llm_d.pd_proxy.prefill_target': target.host,
      'llm_d.pd_proxy.disagg_type': 'prefill-decode',
      'llm_d.pd_proxy.disaggregation_used': true,
      'llm_d.pd_proxy.prefill.cached_tokens': 0,
      'llm_d.pd_proxy.true_ttft_ms': expect.any(Number),
      'llm_d.pd_proxy.total_duration_ms': expect.any(Number),
      'llm_d.pd_proxy.outcome': 'completed',
    });
    expect(only(sidecar.spans.spans, 'CLIENT', 'prefill').attributes).toEqual({
      'llm_d.pd_proxy.stage': 'prefill',
      'http.request.method': 'POST',
      'url.path': CHAT,
      'server.address': target.hostname,
      'server.port': Number(target.port),
      'http.response.status_code': 200,
    });
    expect(JSON.stringify(sidecar.spans.spans)).not.toContain(SECRET);
  });
});

describe('a span', () => {
  it.each([
    {
      what: 'an engine that fails',
      setting: { engine: refusing(500) },
      types: { decode: '500', server: 'upstream_5xx' },
    },
    {
      what: 'an engine that refuses',
      setting: { engine: refusing(422) },
      types: { decode: '422', server: 'upstream_4xx' },
    },
    { what: 'an engine that redirects', setting: { engine: refusing(307) }, types: { decode: '307' } },
    {
      what: 'a prefill that fails in a good answer',
      setting: { prefill: (_: unknown, response: Parameters<typeof json>[0]) => json(response, { choices: [] }) },
      types: { server: 'upstream_5xx' },
    },
  ])('is in error for $what', async ({ setting, types }) => {
    const sidecar = await watched(setting);
    await sidecar.send({ body: aChat(), headers: 'prefill' in setting ? sidecar.named('prefill') : {} });
    const failed = sidecar.spans.spans.filter(({ isError }) => isError);
    const found = failed.map(({ name, attributes }) => [
      name === CHAT_SPAN ? 'server' : name,
      attributes['error.type'],
    ]);
    expect(Object.fromEntries(found)).toEqual(types);
  });

  it('is in error for a client that leaves, and ends', async () => {
    const sidecar = await watched({
      engine: (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n'),
    });
    const leaving = new AbortController();
    await fetch(sidecar.url + CHAT, { method: 'POST', body: '{}', signal: leaving.signal });
    leaving.abort();
    await sidecar.idle();
    await ended(sidecar.spans);
    expect(sidecar.spans.spans.map(({ attributes }) => attributes['error.type'])).toEqual([
      'client_closed',
      'client_closed',
    ]);
  });

  it('is in error for a target that is not in the pool', async () => {
    const sidecar = await watched(pool());
    await sidecar.send({ body: aChat(), headers: sidecar.named('prefill') });
    expect(only(sidecar.spans.spans, 'SERVER').attributes).toMatchObject({
      'error.type': 'ssrf_protection_denied',
      'llm_d.pd_proxy.denied_target': new URL(sidecar.workers.prefill.url).host,
    });
  });

  it('says how often its call was sent again, on a connection that was gone', async () => {
    let calls = 0;
    const sidecar = await watched({
      engine: (_, response) => {
        if (++calls === 2) response.destroy();
        else json(response, {});
      },
    });
    for (let request = 0; request < 2; request++) await sidecar.send({ body: aChat() });
    const decodes = sidecar.spans.spans.filter(({ name }) => name === 'decode');
    expect(decodes.map(({ attributes }) => attributes[ATTRIBUTES.resend])).toEqual([undefined, undefined, 1]);
    expect(decodes.map(({ isError }) => isError)).toEqual([false, true, false]);
  });

  it('is of the catalogue, with the attributes that are listed there', async () => {
    const spans = new SpanRecorder();
    await driveEverything({ spans });
    await ended(spans);
    const seen = new Map<string, Set<string>>();
    for (const { name, attributes } of spans.spans) {
      const kind = name.startsWith('llm_d.pd_proxy.') ? 'llm_d.pd_proxy.<METHOD> <path>' : name;
      seen.set(kind, new Set([...(seen.get(kind) ?? []), ...Object.keys(attributes)]));
    }
    const listed = (of: Iterable<readonly [string, Iterable<string>]>): object =>
      Object.fromEntries([...of].map(([name, attributes]) => [name, [...attributes].toSorted()]));
    expect(listed(seen)).toEqual(
      listed(
        SIDECAR_SPANS.map(({ name, attributes }) => [
          name,
          attributes.map(attributeName).filter((key) => key !== ATTRIBUTES.resend),
        ]),
      ),
    );
  });
});

/** Done when every span that was begun has ended: that of a call may do so behind its request. */
async function ended(spans: SpanRecorder): Promise<void> {
  await until(() => spans.spans.length === spans.begun);
}

function attributeName(key: (typeof SIDECAR_SPANS)[number]['attributes'][number]): string {
  return { ...ATTRIBUTES, ...SIDECAR_ATTRIBUTES }[key];
}
