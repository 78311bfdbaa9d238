import { afterEach, describe, expect, it } from '@jest/globals';
import { AlwaysOffSampler, AlwaysOnSampler } from '@opentelemetry/sdk-trace';
import { SpanRecorder } from '../../libs/telemetry/src/spans.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';
import type { ObservedOptions } from './telemetry.fixture.ts';
import { aChat, aChatWithImages, send } from './telemetry-client.fixture.ts';
import type { ClientAnswer, ClientOptions } from './telemetry-client.fixture.ts';
import { sharedCluster } from './telemetry-shared.fixture.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const CONTEXT = { tracestate: 'vendor=1,other=2', baggage: 'tenant=a' };

const cluster = await sharedCluster();
let coordinator: ObservedCoordinator | undefined;

afterEach(() => coordinator?.close());

async function after(options: ObservedOptions, request: ClientOptions): Promise<ClientAnswer> {
  coordinator = await ObservedCoordinator.start(cluster, options);
  const answer = await send(coordinator.url, request);
  await coordinator.idle();
  return answer;
}

/** The trace context of each call to render and the gateway, as it went out. */
function sent(): (readonly unknown[])[] {
  const calls = cluster.calls().filter(({ path }) => !path.startsWith('/media/'));
  return calls.map(({ headers }) => [headers['traceparent'], headers['tracestate'], headers['baggage']]);
}

const traceparent = (flags: string): string => `00-${TRACE}-${PARENT}-${flags}`;
const passedThrough = { method: 'GET', path: '/v1/models' };
const chat = { body: aChatWithImages(2) };

describe('with tracing off', () => {
  it.each([
    ['every call of a pipeline', chat, 6],
    ['a path that is passed through', passedThrough, 1],
  ])('%s has the trace context of the client, byte for byte', async (_what, request, calls) => {
    const own = [`01-${TRACE}-${PARENT}-01-extra`, CONTEXT.tracestate, CONTEXT.baggage];
    const [parent = '', tracestate = '', baggage = ''] = own;
    expect((await after({}, { ...request, headers: { traceparent: parent, tracestate, baggage } })).status).toBe(200);
    expect(sent()).toEqual(Array.from({ length: calls }, () => own));
  });

  it('no call has any where the client has none', async () => {
    await after({}, chat);
    expect(sent()).toEqual(Array.from({ length: 6 }, () => [undefined, undefined, undefined]));
  });

  it('no line and no timeline has a trace', async () => {
    await after({}, { ...chat, headers: { traceparent: traceparent('01'), 'x-request-id': 'off' } });
    expect(JSON.stringify([coordinator?.lines, coordinator?.timeline('off')])).not.toContain('trace_id');
  });
});

describe('with tracing on', () => {
  it('baggage goes on as it is, and so does the state of the trace', async () => {
    const spans = new SpanRecorder();
    await after({ spans }, { ...chat, headers: { traceparent: traceparent('01'), ...CONTEXT } });
    const calls = sent();
    expect(calls).toHaveLength(6);
    for (const [parent, tracestate, baggage] of calls) {
      expect([String(parent).slice(0, 36), tracestate, baggage]).toEqual([
        `00-${TRACE}-`,
        CONTEXT.tracestate,
        CONTEXT.baggage,
      ]);
    }
  });

  it('a trace that the client does not sample makes no spans, and goes on unsampled', async () => {
    const spans = new SpanRecorder();
    await after({ spans }, { ...chat, headers: { traceparent: traceparent('00'), ...CONTEXT } });
    const calls = sent();
    expect([spans.begun, calls.length]).toEqual([0, 6]);
    for (const [parent, tracestate, baggage] of calls) {
      expect(parent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
      expect([tracestate, baggage]).toEqual([CONTEXT.tracestate, CONTEXT.baggage]);
    }
  });

  it('a trace that is not sampled here goes on unsampled', async () => {
    const spans = new SpanRecorder(new AlwaysOffSampler());
    await after({ spans }, chat);
    const parents = sent().map(([parent]) => String(parent));
    expect(spans.begun).toBe(0);
    expect(parents.filter((parent) => /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/.test(parent))).toHaveLength(6);
    expect(new Set(parents.map((parent) => parent.split('-')[1])).size).toBe(1);
  });

  it('a sampler that takes all wins over a client that samples nothing', async () => {
    const spans = new SpanRecorder(new AlwaysOnSampler());
    await after({ spans }, { ...chat, headers: { traceparent: traceparent('00') } });
    expect(spans.of(TRACE).length).toBeGreaterThan(10);
    for (const [parent] of sent()) expect(String(parent)).toMatch(/-01$/);
  });

  it('only sampled requests are exemplars', async () => {
    const spans = new SpanRecorder();
    await after({ spans }, { ...chat, headers: { traceparent: traceparent('00') } });
    const series = { model_name: 'm' };
    const name = 'llm_d_coordinator_request_duration_seconds';
    expect([...(coordinator?.metrics.exemplars.ofLabels(name, series)?.values() ?? [])]).toEqual([]);
    const sampled = 'f'.repeat(32);
    await send(coordinator?.url ?? '', { ...chat, headers: { traceparent: `00-${sampled}-${PARENT}-01` } });
    await coordinator?.idle();
    const exemplars = [...(coordinator?.metrics.exemplars.ofLabels(name, series)?.values() ?? [])];
    expect(exemplars.map(({ traceId }) => traceId)).toEqual([sampled]);
  });

  it.each(['/healthz', '/readyz', '/readyz?verbose'])('a look at %s makes no span', async (path) => {
    const spans = new SpanRecorder();
    expect((await after({ spans }, { method: 'GET', path })).status).toBe(200);
    expect(spans.begun).toBe(0);
  });

  it('a path that is passed through has a span named by its method alone, without a route', async () => {
    const spans = new SpanRecorder();
    await after({ spans }, { ...passedThrough, headers: { traceparent: traceparent('01') } });
    const server = spans.spans.find(({ kind }) => kind === 'SERVER');
    expect(server).toMatchObject({ name: 'GET', traceId: TRACE, parentId: PARENT, isError: false });
    expect(server?.attributes).toMatchObject({ 'url.path': '/v1/models', 'http.response.status_code': 200 });
    expect(server?.attributes).not.toHaveProperty(['http.route']);
  });

  it('the call of a path that is passed through is part of its trace', async () => {
    const spans = new SpanRecorder();
    await after({ spans }, { ...passedThrough, headers: { traceparent: traceparent('01') } });
    const server = spans.spans.find(({ kind }) => kind === 'SERVER');
    const call = spans.spans.find(({ kind }) => kind === 'CLIENT');
    expect(call).toMatchObject({ name: 'passthrough', parentId: server?.spanId });
    expect(sent()).toEqual([[`00-${TRACE}-${call?.spanId ?? ''}-01`, undefined, undefined]]);
  });

  it('the path of a span is the one that was asked for, the prefix of the address included', async () => {
    const spans = new SpanRecorder();
    const steps = ['prefill', 'decode'];
    await after({ spans, steps, gateway: { address: `${cluster.url}/cluster-a` } }, { body: aChat() });
    const paths = spans.spans.filter(({ kind }) => kind === 'CLIENT').map(({ attributes }) => attributes['url.path']);
    expect(paths).toEqual(cluster.calls().map(({ path }) => path));
    expect(paths[0]).toBe('/cluster-a/v1/chat/completions');
  });
});
