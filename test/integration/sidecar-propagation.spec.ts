import { describe, expect, it } from '@jest/globals';
import { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler } from '@opentelemetry/sdk-trace';
import type { RecordedRequest } from '#testing';
import { cleanup } from '#testing';
import { SpanRecorder } from '../../libs/telemetry/src/spans.fixture.ts';
import { mooncakeWorker } from './busy-sidecar.fixture.ts';
import { WatchedSidecar, aChat } from './watched-sidecar.fixture.ts';
import type { WatchedSetting } from './watched-sidecar.fixture.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const CONTEXT = { tracestate: 'a=1,b=2', baggage: 'tenant=t' };
const traceparent = (flags: string): string => `00-${TRACE}-${PARENT}-${flags}`;

const later = cleanup();

const nixl = '--kv-connector=nixlv2';
const WRITE = ['--moriio-write-mode', '--moriio-local-pod-ip=127.0.0.1'];
/** Every connector, and the calls of a request with two images whose stages all run elsewhere. */
const CONNECTORS: readonly { readonly name: string; readonly calls: number; readonly setting: WatchedSetting }[] = [
  { name: 'nixlv2', calls: 4, setting: { flags: [nixl] } },
  { name: 'nixlv2 with MoRI-IO', calls: 4, setting: { flags: [nixl, ...WRITE] } },
  { name: 'nixlv2 in parallel', calls: 4, setting: { flags: [nixl, ...WRITE, '--moriio-parallel-dispatch'] } },
  { name: 'shared-storage', calls: 4, setting: { flags: ['--kv-connector=shared-storage'] } },
  { name: 'sglang', calls: 4, setting: { flags: ['--kv-connector=sglang'] } },
  { name: 'mooncake', calls: 5, setting: { flags: ['--kv-connector=mooncake'], prefill: mooncakeWorker } },
  { name: 'offloading', calls: 4, setting: { flags: ['--kv-connector=offloading'] } },
];

/** The calls that workers got of a request, once all of them have come in. */
async function called(
  { calls, setting }: (typeof CONNECTORS)[number],
  headers: Record<string, string>,
  spans?: SpanRecorder,
): Promise<readonly RecordedRequest[]> {
  const flags = [...(setting.flags ?? []), '--ec-connector=ec-nixl'];
  const sidecar = await WatchedSidecar.start({ ...setting, flags, spans });
  later(() => sidecar.close());
  await sidecar.send({ body: aChat({}, 2), headers: { ...sidecar.named('encode', 'prefill'), ...headers } });
  const { encode, prefill, engine } = sidecar.workers;
  await prefill.received(calls - 3);
  const all = [encode, prefill, engine].flatMap(({ requests }) => requests);
  expect(all).toHaveLength(calls);
  return all;
}

const contextOf = ({ headers }: RecordedRequest): readonly unknown[] =>
  ['traceparent', 'tracestate', 'baggage'].map((name) => headers[name]);

describe.each(CONNECTORS)('$name', (connector) => {
  it('gives every worker the span of its own call as the parent', async () => {
    const spans = new SpanRecorder();
    const calls = await called(connector, { traceparent: traceparent('01'), ...CONTEXT }, spans);
    while (spans.spans.length < spans.begun) await new Promise(setImmediate);
    const own = spans.spans.filter(({ kind }) => kind === 'CLIENT').map(({ spanId }) => `00-${TRACE}-${spanId}-01`);
    expect(calls.map(({ headers }) => headers['traceparent']).toSorted()).toEqual(own.toSorted());
    for (const call of calls) expect(contextOf(call).slice(1)).toEqual([CONTEXT.tracestate, CONTEXT.baggage]);
  });

  it('goes on with a trace that is not sampled, and makes no span', async () => {
    const spans = new SpanRecorder(new ParentBasedSampler({ root: new AlwaysOnSampler() }));
    const calls = await called(connector, { traceparent: traceparent('00'), ...CONTEXT }, spans);
    expect(spans.begun).toBe(0);
    for (const call of calls) {
      const [parent, ...rest] = contextOf(call);
      expect(parent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
      expect(rest).toEqual([CONTEXT.tracestate, CONTEXT.baggage]);
    }
  });

  it('gives every worker what the client sent where tracing is off', async () => {
    const calls = await called(connector, { traceparent: traceparent('01'), ...CONTEXT });
    for (const call of calls) expect(contextOf(call)).toEqual([traceparent('01'), CONTEXT.tracestate, CONTEXT.baggage]);
  });
});

describe('a request without a valid trace', () => {
  it.each([
    { what: 'no traceparent', headers: {} },
    { what: 'a malformed one', headers: { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01`, tracestate: 'a=1' } },
  ])('$what begins one, the same for every worker', async ({ headers }) => {
    const [connector] = CONNECTORS;
    if (connector === undefined) throw new Error('there are connectors');
    const calls = await called(connector, { ...headers }, new SpanRecorder());
    const traces = new Set(calls.map(({ headers: { traceparent: sent } }) => String(sent).split('-')[1]));
    expect(traces.size).toBe(1);
    expect([...traces][0]).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    for (const call of calls) expect(contextOf(call)[1]).toBeUndefined();
  });

  it('has the same id at every worker where the sampler wants none of it', async () => {
    const [connector] = CONNECTORS;
    if (connector === undefined) throw new Error('there are connectors');
    const spans = new SpanRecorder(new ParentBasedSampler({ root: new AlwaysOffSampler() }));
    const calls = await called(connector, {}, spans);
    expect(spans.begun).toBe(0);
    expect(new Set(calls.map(({ headers: { traceparent: sent } }) => sent)).size).toBe(1);
    expect(String(calls[0]?.headers['traceparent'])).toMatch(/-00$/);
  });
});
