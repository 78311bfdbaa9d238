import { describe, expect, it, jest } from '@jest/globals';
import { cleanup } from '#testing';
import { SpanRecorder, only } from '../../libs/telemetry/src/spans.fixture.ts';
import { BrokerBench, CHAT, brokerParts } from './broker.fixture.ts';

jest.setTimeout(60_000);

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const ENQUEUE = { 'x-llm-d-async-mode': 'enqueue', 'x-request-id': 'job-1' };
const SUBMISSIONS = 'llm_d_coordinator_async_submissions_total';

const later = cleanup();
const parts = brokerParts();

async function start(spans = new SpanRecorder()) {
  const bench = await BrokerBench.start(parts.redis, parts.cluster, {}, { spans, logLevel: 5 });
  later(() => bench.close());
  return { bench, spans };
}

describe('the broker, observed', () => {
  it('gives the async processor the span that queued the request for its parent', async () => {
    const { bench, spans } = await start();
    const headers = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: 'a=1' };
    expect((await bench.ask({ ...ENQUEUE, ...headers })).status).toBe(202);
    await bench.coordinator.idle();
    const own = spans.of(TRACE);
    const enqueue = only(own, 'CLIENT', 'enqueue');
    expect(enqueue.parentId).toBe(only(own, 'INTERNAL', 'async-broker').spanId);
    expect(only(own, 'CLIENT', 'lookup').parentId).toBe(enqueue.parentId);
    const [member] = await bench.queued();
    expect(member?.json.data['metadata']).toEqual({
      userid: 'default',
      traceparent: `00-${TRACE}-${enqueue.spanId}-01`,
    });
  });

  it('starts a trace where the client has none, or a malformed one', async () => {
    const { bench, spans } = await start();
    await bench.ask({ ...ENQUEUE, traceparent: '00-nonsense' });
    await bench.coordinator.idle();
    const enqueue = only(spans.spans, 'CLIENT', 'enqueue');
    const [member] = await bench.queued();
    expect(member?.json.data['metadata']).toMatchObject({ traceparent: `00-${enqueue.traceId}-${enqueue.spanId}-01` });
  });

  it('keeps the flag of a trace that is not sampled, and makes no span', async () => {
    const { bench, spans } = await start();
    await bench.ask({ ...ENQUEUE, traceparent: `00-${TRACE}-b7ad6b7169203331-00` });
    await bench.coordinator.idle();
    expect(spans.spans).toEqual([]);
    const [member] = await bench.queued();
    const traceparent: unknown = expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    expect(member?.json.data['metadata']).toEqual({ userid: 'default', traceparent });
  });

  it('mixes up no traces of requests that come together', async () => {
    const { bench, spans } = await start();
    const traces = Array.from({ length: 20 }, (_, index) => (index + 1).toString(16).padStart(32, '0'));
    await Promise.all(
      traces.map((trace) =>
        bench.ask({ ...ENQUEUE, 'x-request-id': trace, traceparent: `00-${trace}-b7ad6b7169203331-01` }),
      ),
    );
    await bench.coordinator.idle();
    for (const { json } of await bench.queued()) {
      const trace = json.data.id.slice('default:'.length);
      const { spanId } = only(spans.of(trace), 'CLIENT', 'enqueue');
      expect(json.data['metadata']).toMatchObject({ traceparent: `00-${trace}-${spanId}-01` });
    }
  });

  it('names the span of a route after its template', async () => {
    const { bench, spans } = await start();
    await bench.request('GET', 'job-1');
    await bench.request('DELETE', 'job-1');
    await bench.coordinator.idle();
    const servers = spans.spans.filter(({ kind }) => kind === 'SERVER');
    expect(servers.map(({ name }) => name)).toEqual(['GET /v1/requests/{id}', 'DELETE /v1/requests/{id}']);
    expect(only(spans.spans, 'CLIENT', 'lookup').parentId).toBe(servers[0]?.spanId);
    expect(only(spans.spans, 'CLIENT', 'cancel').parentId).toBe(servers[1]?.spanId);
  });

  it('counts what was asked for and what became of it', async () => {
    const { bench } = await start();
    await bench.ask(ENQUEUE);
    await bench.ask(ENQUEUE);
    await bench.ask({ 'x-llm-d-async-mode': 'soon' });
    await bench.ask({ 'x-llm-d-async-mode': 'passthrough' });
    await bench.ask({});
    expect(await bench.coordinator.samples(SUBMISSIONS)).toEqual({
      'mode="enqueue",outcome="queued"': 1,
      'mode="enqueue",outcome="reattached"': 1,
      'mode="unknown",outcome="refused"': 1,
      'mode="passthrough",outcome="forwarded"': 1,
    });
    expect(await bench.coordinator.total('llm_d_coordinator_async_redis_errors_total')).toBe(0);
  });

  it('says nothing of a prompt, a result or a tenant in logs, spans and metrics, at any level', async () => {
    const { bench, spans } = await start();
    const secret = (what: string): string => `SECRET-${what}`;
    const asked = bench.ask(
      {
        ...ENQUEUE,
        'x-llm-d-async-mode': 'wait',
        authorization: `Bearer ${secret('key')}`,
        'x-llm-d-tenant': secret('tenant'),
      },
      CHAT.replace('hi', secret('prompt')),
    );
    await bench.deliver(`${secret('tenant')}:job-1`, { status_code: 200, payload: secret('result') });
    expect((await asked).text).toBe(secret('result'));
    await bench.coordinator.idle();
    const told =
      JSON.stringify([bench.coordinator.lines, spans.spans]) + (await bench.coordinator.metrics.registry.metrics());
    expect(told).toContain('async-broker');
    expect(told).not.toContain('SECRET');
  });
});
