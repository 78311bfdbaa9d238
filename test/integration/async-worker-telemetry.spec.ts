import { describe, expect, it, jest } from '@jest/globals';
import { ASYNC_WORKER_ATTRIBUTES, ASYNC_WORKER_METRICS, ASYNC_WORKER_SPANS } from '#telemetry/async-worker';
import { cleanup, json } from '#testing';
import type { Handler } from '#testing';
import { ATTRIBUTES } from '../../libs/telemetry/src/attributes.ts';
import { openMetricsFaults } from '../../libs/telemetry/src/open-metrics.fixture.ts';
import { SpanRecorder, only } from '../../libs/telemetry/src/spans.fixture.ts';
import { QUEUE, SECRET, WorkerBench } from './async-worker.fixture.ts';
import { eventually } from './broker.fixture.ts';
import { WatchedWorker, driveEverything } from './watched-async-worker.fixture.ts';
import type { WatchSetting } from './watched-async-worker.fixture.ts';
import { workerRedis } from './worker-benches.fixture.ts';

jest.setTimeout(90_000);

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const OPENMETRICS = 'application/openmetrics-text; version=1.0.0';
/** Label of every series of the one queue. */
const AT = `queue="${QUEUE}"`;

const later = cleanup();
const redis = workerRedis();

/** Asks for patience once for each request whose model is busy. */
function patient(): Handler {
  let asked = 0;
  return ({ body }, response) => {
    if (body.includes('busy') && asked++ % 2 === 0) json(response, '{}', 429);
    else json(response, '{"ok":true}');
  };
}

async function started(setting: WatchSetting = {}): Promise<{ bench: WorkerBench; worker: WatchedWorker }> {
  const bench = await WorkerBench.start(redis(), patient());
  later(() => bench.close());
  const worker = await WatchedWorker.start(bench, setting);
  later(() => worker.stop());
  return { bench, worker };
}

/** The sum of each series that the page has of a metric; of a histogram, of how often it was observed. */
function values(text: string, { name, type }: { readonly name: string; readonly type: string }): number[] {
  const sample = new RegExp(`^${name}${type === 'histogram' ? '_count' : ''}(?:\\{.*\\})? (\\S+)$`, 'gm');
  return [...text.matchAll(sample)].map(([, value]) => Number(value));
}

describe('the metrics of an async worker', () => {
  it('have every series of outcomes at zero before there was a message, so that a rate sees the first one', async () => {
    const { worker } = await started();
    const text = await worker.read();
    const { messages, tries, recovered, deadLetters, inFlight } = ASYNC_WORKER_METRICS;
    for (const metric of [messages, tries, recovered, deadLetters, inFlight]) {
      expect(values(text, metric).length).toBeGreaterThan(0);
      expect(values(text, metric).filter((value) => value !== 0)).toEqual([]);
    }
  });

  it('are all of the catalogue, and every one of messages has counted something once everything has happened', async () => {
    const { bench, worker } = await started();
    await driveEverything(bench, worker);
    worker.metrics.on.buildInfo.set(['v', 'c', 'n'], 1);
    worker.metrics.on.configInfo.set(['h'], 1);
    const text = await worker.read();
    const own = [...text.matchAll(/^# TYPE (llm_d_\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    const listed = Object.values(ASYNC_WORKER_METRICS).map(({ name, type }) => `${name} ${type}`);
    expect(own.toSorted()).toEqual(listed.toSorted());
    const silent = Object.values(ASYNC_WORKER_METRICS).filter((metric) =>
      values(text, metric).every((value) => value === 0),
    );
    // nothing is held any more, and Redis has done what it was asked; queues are looked at every few seconds
    const others = silent.map(({ name }) => name).filter((name) => !name.includes('_queue_'));
    expect(others).toEqual(['in_flight', 'redis_errors_total'].map((name) => `llm_d_async_worker_${name}`));
  });

  it('tell what became of each message, and of each call', async () => {
    const { bench, worker } = await started();
    await driveEverything(bench, worker);
    expect(await worker.samples('messages_total')).toMatchObject({
      [`${AT},outcome="dead"`]: 1,
      [`${AT},outcome="expired"`]: 1,
      [`${AT},outcome="retried"`]: 1,
    });
    expect(await worker.samples('tries_total')).toMatchObject({ [`${AT},result="429"`]: 1 });
    expect(await worker.samples('dead_letters_total')).toEqual({ [`${AT},reason="invalid_envelope"`]: 1 });
    expect(await worker.samples('recovered_total')).toEqual({ [`${AT},why="lease"`]: 1, [`${AT},why="retry"`]: 1 });
    expect(await worker.samples('in_flight')).toEqual({ [AT]: 0 });
  });

  it('have no more series for what clients make up', async () => {
    const { bench, worker } = await started();
    const ask = async (number: number): Promise<void> => {
      const payload = `{"model":"model-${number}"}`;
      await bench.enqueue(`job-${number}`, { tenant: `tenant-${number}`, payload, endpoint: '/v1/completions' });
      await bench.put(`{"junk":${number}}`);
      await Promise.all([worker.ended('delivered', number + 1), worker.ended('dead', number + 1)]);
    };
    const series = async (): Promise<number> =>
      (await worker.read()).split('\n').filter((line) => line.startsWith('llm_d') && !line.includes('_queue_')).length;
    await ask(0);
    const before = await series();
    for (let number = 1; number <= 20; number++) await ask(number);
    expect(await series()).toBe(before);
  });

  it('are valid OpenMetrics where that is asked for, with the trace of a sampled message beside its bucket', async () => {
    const { bench, worker } = await started({ spans: new SpanRecorder() });
    await bench.enqueue('job', { metadata: { traceparent: `00-${TRACE}-${PARENT}-01` } });
    await worker.ended('delivered');
    const text = await worker.read(OPENMETRICS);
    expect(openMetricsFaults(text)).toEqual([]);
    for (const name of ['wait', 'try_duration', 'turnaround']) {
      const bucket = `^llm_d_async_worker_${name}_seconds_bucket\\{.*\\} 1 # \\{trace_id="${TRACE}"\\}`;
      expect(text).toMatch(new RegExp(bucket, 'm'));
    }
  });

  it('show how the queues stand, and nothing of them while Redis is away', async () => {
    const bench = await WorkerBench.start(redis(), ({ body }, response) => {
      if (body.includes('busy')) json(response, '{}', 503);
    });
    later(() => bench.close());
    const worker = await WatchedWorker.start(bench, {
      sections: { queues: [QUEUE, 'empty'], worker: { concurrency: 1, backoff: { initial: '60s' } } },
    });
    later(() => worker.stop());
    await bench.put('{"no":"envelope"}');
    await worker.ended('dead');
    await bench.enqueue('again', { payload: '{"model":"busy"}' });
    await worker.ended('retried');
    await bench.enqueue('held');
    await bench.upstream.received(2);
    await bench.enqueue('waiting', { age: 40, seconds: 300 });
    const shown = async (name: string): Promise<number | undefined> => (await worker.samples(`queue_${name}`))[AT];
    await eventually(async () => (await shown('depth')) === 1);
    expect(await worker.samples('queue_depth')).toEqual({ [AT]: 1, 'queue="empty"': 0 });
    expect(await Promise.all(['leased', 'retrying', 'dead_letters'].map(shown))).toEqual([1, 1, 1]);
    expect(await shown('oldest_seconds')).toBeGreaterThanOrEqual(40);
    expect(await shown('deadline_seconds')).toBeLessThanOrEqual(300);
    expect(Object.keys(await worker.samples('queue_oldest_seconds'))).toEqual([AT]);
    redis().freeze();
    later(() => {
      redis().thaw();
    });
    await eventually(async () => (await worker.samples('redis_up'))[''] === 0, 30_000);
    expect((await worker.read()).match(/^llm_d_async_worker_queue_.*$/gm)).toBeNull();
    expect(Object.keys(await worker.samples('redis_errors_total')).join()).toContain('failure="timeout"');
    redis().thaw();
    await eventually(async () => (await shown('dead_letters')) === 1, 30_000);
    expect(await worker.samples('redis_up')).toEqual({ '': 1 });
  });
});

describe('the spans of an async worker', () => {
  const traced = { metadata: { traceparent: `00-${TRACE}-${PARENT}-01` } };

  /** Done when every span that was begun has ended. */
  const complete = (spans: SpanRecorder): Promise<void> => eventually(() => spans.begun === spans.spans.length);

  it("carry a client's trace through the queue to the coordinator", async () => {
    const spans = new SpanRecorder();
    const { bench, worker } = await started({ spans });
    await bench.enqueue('job', traced);
    await worker.ended('delivered');
    await complete(spans);
    const [taken, call] = [only(spans.of(TRACE), 'CONSUMER', `process ${QUEUE}`), only(spans.of(TRACE), 'CLIENT')];
    expect([taken.parentId, call.parentId]).toEqual([PARENT, taken.spanId]);
    expect(bench.upstream.requests[0]?.headers['traceparent']).toBe(`00-${TRACE}-${call.spanId}-01`);
  });

  it('are two for each try, all beneath the one that queued the request', async () => {
    const spans = new SpanRecorder();
    const { bench, worker } = await started({ spans });
    await bench.enqueue('job', { ...traced, payload: '{"model":"busy"}' });
    await worker.ended('retried');
    await bench.makeDue();
    await worker.ended('delivered');
    await complete(spans);
    const tries = spans.of(TRACE).filter(({ kind }) => kind === 'CONSUMER');
    expect(tries.map(({ parentId }) => parentId)).toEqual([PARENT, PARENT]);
    expect(tries.map(({ attributes, isError }) => [attributes['llm_d.async_worker.attempt'], isError])).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(spans.of(TRACE).filter(({ kind }) => kind === 'CLIENT')).toHaveLength(2);
  });

  it('are none with tracing off, and the trace goes on as it came', async () => {
    const { bench, worker } = await started();
    await bench.enqueue('job', traced);
    await worker.ended('delivered');
    expect(bench.upstream.requests[0]?.headers['traceparent']).toBe(traced.metadata.traceparent);
  });

  it('are of the catalogue, with attributes that are listed there', async () => {
    const spans = new SpanRecorder();
    const { bench, worker } = await started({ spans });
    await driveEverything(bench, worker);
    await complete(spans);
    for (const { name, attributes } of spans.spans) {
      const kind = ASYNC_WORKER_SPANS.find((span) => span.name === name.replace(QUEUE, '<queue>'));
      const listed = (kind?.attributes ?? []).map((key) => ({ ...ATTRIBUTES, ...ASYNC_WORKER_ATTRIBUTES })[key]);
      expect(listed).toEqual(expect.arrayContaining(Object.keys(attributes)));
    }
    const seen = new Set(spans.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    const own = Object.values(ASYNC_WORKER_ATTRIBUTES).filter((name) => !seen.has(name));
    expect(own).toEqual([]);
  });
});

describe('what an async worker says', () => {
  it('is nothing of a prompt, an answer, a key or a tenant in logs, spans and metrics, at any level', async () => {
    const spans = new SpanRecorder();
    const { bench, worker } = await started({ spans });
    const told = { tenant: 'SECRET-tenant', headers: { 'x-llm-d-slo-ttft-ms': 'SECRET-header' } };
    await bench.enqueue('job', { ...told, payload: `{"model":"busy","prompt":"${SECRET}"}` });
    await worker.ended('retried');
    await bench.makeDue();
    await worker.ended('delivered');
    await eventually(() => spans.begun === spans.spans.length);
    const all = JSON.stringify([worker.lines, spans.spans]) + (await worker.read());
    expect(all).toContain('message ended');
    expect(all).not.toContain('SECRET');
  });

  it('names the request by the id that its client knows', async () => {
    const { bench, worker } = await started();
    await bench.enqueue('job-4217');
    await worker.ended('delivered');
    await eventually(() => worker.lines.some((line) => line.includes('message ended')));
    const line: unknown = JSON.parse(worker.lines.find((text) => text.includes('message ended')) ?? '{}');
    expect(line).toMatchObject({
      'x-request-id': 'job-4217',
      queue: QUEUE,
      attempt: 1,
      outcome: 'delivered',
      status: 200,
    });
  });
});
