import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Dispatch, DispatchEnd } from '#dispatch';
import { JsonLogger } from '../logger.ts';
import { samples } from '../request-telemetry.fixture.ts';
import { SpanRecorder, only } from '../spans.fixture.ts';
import { AsyncWorkerMetrics } from './async-worker-metrics.ts';
import { asyncWorkerTelemetry } from './async-worker-telemetry.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const QUEUE = 'queue="q"';

let lines: string[] = [];
beforeEach(() => {
  lines = [];
  Logger.overrideLogger(new JsonLogger(5, 'test', { write: (line) => void lines.push(line) }));
});

function aDispatch(changes: Partial<Dispatch> = {}): Dispatch {
  return { queue: 'q', id: 'job-1', attempt: 1, waited: 2, trace: {}, ...changes };
}

function started() {
  const metrics = new AsyncWorkerMetrics();
  const spans = new SpanRecorder();
  const { observer } = asyncWorkerTelemetry(metrics, spans.tracer);
  const counted = (name: string) => samples(metrics, `llm_d_async_worker_${name}`);
  /** Counts of all observations that there are. */
  const observed = async () => {
    const names = ['wait', 'try_duration', 'turnaround', 'retry_delay'];
    const counts = await Promise.all(names.map((name) => counted(`${name}_seconds_count`)));
    return Object.fromEntries(names.flatMap((name, place) => (counts[place]?.[QUEUE] === 1 ? [[name, 1]] : [])));
  };
  return { observer, spans, counted, observed };
}

const ENDS: readonly {
  readonly what: string;
  readonly end: DispatchEnd;
  readonly attempt?: number;
  readonly tries: Readonly<Record<string, number>>;
  readonly times: readonly string[];
  readonly error?: string;
}[] = [
  {
    what: 'an answer',
    end: { outcome: 'delivered', status: 200 },
    tries: { '2xx': 1 },
    times: ['wait', 'try_duration', 'turnaround'],
  },
  {
    what: 'a refusal that is the result',
    end: { outcome: 'delivered', status: 404 },
    tries: { other_4xx: 1 },
    times: ['wait', 'try_duration', 'turnaround'],
    error: 'upstream_4xx',
  },
  {
    what: 'an answer to a later try, which has not waited but backed off',
    end: { outcome: 'delivered', status: 200 },
    attempt: 3,
    tries: { '2xx': 1 },
    times: ['try_duration', 'turnaround'],
  },
  {
    what: 'a request for patience',
    end: { outcome: 'retried', status: 429, delay: 10_000 },
    tries: { '429': 1 },
    times: ['wait', 'try_duration', 'retry_delay'],
    error: 'upstream_4xx',
  },
  {
    what: 'no answer',
    end: { outcome: 'retried', failure: 'UPSTREAM_UNREACHABLE', delay: 1_000 },
    tries: { UPSTREAM_UNREACHABLE: 1 },
    times: ['wait', 'try_duration', 'retry_delay'],
    error: 'UPSTREAM_UNREACHABLE',
  },
  {
    what: 'the last try',
    end: { outcome: 'dead', reason: 'retries_exhausted', status: 503 },
    attempt: 5,
    tries: { '503': 1 },
    times: ['try_duration'],
    error: 'retries_exhausted',
  },
  {
    what: 'what nobody can read',
    end: { outcome: 'dead', reason: 'invalid_envelope', failure: 'bad_tenant' },
    tries: {},
    times: ['wait'],
    error: 'invalid_envelope',
  },
  {
    what: 'a deadline that is over beforehand',
    end: { outcome: 'expired' },
    tries: {},
    times: ['wait'],
    error: 'deadline_exceeded',
  },
  {
    what: 'a deadline in the middle of a call',
    end: { outcome: 'expired', failure: 'deadline' },
    tries: { deadline: 1 },
    times: ['wait', 'try_duration'],
    error: 'deadline_exceeded',
  },
  { what: 'a client that gives it up', end: { outcome: 'cancelled' }, tries: {}, times: ['wait'] },
  { what: 'a tenant that has many', end: { outcome: 'delayed', delay: 300 }, tries: {}, times: [] },
  { what: 'a worker that ends', end: { outcome: 'returned' }, tries: {}, times: [] },
  { what: 'another holder', end: { outcome: 'lost' }, tries: {}, times: ['wait'], error: 'lease_lost' },
];

describe('the observer of an async worker', () => {
  it.each(ENDS)('counts $what', async ({ end, attempt = 1, tries, times }) => {
    const { observer, counted, observed } = started();
    await observer.around(aDispatch({ attempt }), () => Promise.resolve(end));
    expect(await counted('messages_total')).toEqual({ [`${QUEUE},outcome="${end.outcome}"`]: 1 });
    const named = Object.entries(tries).map(([result, count]) => [`${QUEUE},result="${result}"`, count]);
    expect(await counted('tries_total')).toEqual(Object.fromEntries(named));
    expect(Object.keys(await observed())).toEqual(times);
    expect(await counted('in_flight')).toEqual({ [QUEUE]: 0 });
  });

  it.each(ENDS)('traces $what', async ({ end, error }) => {
    const { observer, spans } = started();
    await observer.around(aDispatch(), () => Promise.resolve(end));
    const span = only(spans.spans, 'CONSUMER', 'process q');
    expect([span.isError, span.attributes['error.type']]).toEqual([error !== undefined, error]);
    expect(span.attributes).toMatchObject({
      'messaging.system': 'redis',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'q',
      'llm_d.async_worker.attempt': 1,
      'llm_d.async_worker.waited_seconds': 2,
      'llm_d.async_worker.outcome': end.outcome,
    });
  });

  it('counts dead letters by reason', async () => {
    const { observer, counted } = started();
    await observer.around(aDispatch(), () => Promise.resolve({ outcome: 'dead', reason: 'worker_lost' }));
    expect(await counted('dead_letters_total')).toEqual({ [`${QUEUE},reason="worker_lost"`]: 1 });
  });

  it('counts what went back on the queue, and what Redis did not do', async () => {
    const { observer, counted } = started();
    observer.recovered('q', 'lease', 3);
    observer.recovered('q', 'retry', 2);
    observer.commandFailed('take', 'offline');
    expect(await counted('recovered_total')).toEqual({ [`${QUEUE},why="lease"`]: 3, [`${QUEUE},why="retry"`]: 2 });
    expect(await counted('redis_errors_total')).toEqual({ 'command="take",failure="offline"': 1 });
  });

  it('has a message in flight until it is let go of, also where that goes wrong', async () => {
    const { observer, counted, spans } = started();
    let during: unknown;
    const broken = observer.around(aDispatch(), async () => {
      during = await counted('in_flight');
      throw new Error('SECRET');
    });
    await expect(broken).rejects.toThrow('SECRET');
    expect([during, await counted('in_flight')]).toEqual([{ [QUEUE]: 1 }, { [QUEUE]: 0 }]);
    expect(only(spans.spans, 'CONSUMER').attributes['error.type']).toBe('internal');
    expect(JSON.stringify(spans.spans)).not.toContain('SECRET');
  });

  it('does not let clocks that differ make a wait of less than nothing', async () => {
    const { observer, counted } = started();
    await observer.around(aDispatch({ waited: -3 }), () => Promise.resolve({ outcome: 'expired' }));
    expect(await counted('wait_seconds_sum')).toEqual({ [QUEUE]: 0 });
  });
});

describe('the trace of a message', () => {
  const traceparent = `00-${TRACE}-${PARENT}-01`;

  async function traceOf(dispatch: Dispatch, tracer: SpanRecorder['tracer'] | undefined): Promise<Dispatch['trace']> {
    const { observer } = asyncWorkerTelemetry(new AsyncWorkerMetrics(), tracer);
    let seen: Dispatch['trace'] = {};
    await observer.around(dispatch, () => {
      seen = dispatch.trace;
      return Promise.resolve({ outcome: 'delivered', status: 200 });
    });
    return seen;
  }

  it('is that of the envelope, with a span of ours for the parent of what follows', async () => {
    const spans = new SpanRecorder();
    const seen = await traceOf(aDispatch({ trace: { traceparent, tracestate: 'a=1' } }), spans.tracer);
    const span = only(spans.of(TRACE), 'CONSUMER');
    expect(span.parentId).toBe(PARENT);
    expect(seen).toEqual({ traceparent: `00-${TRACE}-${span.spanId}-01`, tracestate: 'a=1' });
  });

  it('begins here where the envelope has none', async () => {
    const spans = new SpanRecorder();
    const seen = await traceOf(aDispatch(), spans.tracer);
    const span = only(spans.spans, 'CONSUMER');
    expect([span.parentId, seen.traceparent]).toEqual([undefined, `00-${span.traceId}-${span.spanId}-01`]);
  });

  it('goes on unrecorded where it is not sampled', async () => {
    const spans = new SpanRecorder();
    const seen = await traceOf(aDispatch({ trace: { traceparent: `00-${TRACE}-${PARENT}-00` } }), spans.tracer);
    expect(seen.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    expect(spans.spans).toEqual([]);
  });

  it('goes on as it came with tracing off', async () => {
    const trace = { traceparent, baggage: 'a=1' };
    expect(await traceOf(aDispatch({ trace }), undefined)).toEqual(trace);
  });
});

describe('the log of a message', () => {
  async function logged(end: DispatchEnd): Promise<unknown> {
    const { observer } = asyncWorkerTelemetry(new AsyncWorkerMetrics(), new SpanRecorder().tracer);
    await observer.around(aDispatch({ trace: { traceparent: `00-${TRACE}-${PARENT}-01` } }), () =>
      Promise.resolve(end),
    );
    expect(lines).toHaveLength(1);
    return JSON.parse(lines[0] ?? '');
  }

  it('is one line, which says whose it is and what became of it', async () => {
    expect(await logged({ outcome: 'retried', status: 503, delay: 1_500 })).toMatchObject({
      severity_text: 'INFO',
      body: 'message ended',
      'x-request-id': 'job-1',
      trace_id: TRACE,
      queue: 'q',
      attempt: 1,
      outcome: 'retried',
      status: 503,
      waited_ms: 2_000,
      duration_ms: expect.any(Number),
      retry_after_ms: 1_500,
    });
  });

  it('is for debugging where the message has only to wait for its turn', async () => {
    expect(await logged({ outcome: 'delayed', delay: 300 })).toMatchObject({ severity_text: 'DEBUG' });
  });
});
