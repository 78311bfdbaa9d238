import { describe, expect, it } from '@jest/globals';
import { samples } from '../request-telemetry.fixture.ts';
import { AsyncWorkerMetrics } from './async-worker-metrics.ts';
import { statusResult } from './async-worker-label-values.ts';

const PREFIX = 'llm_d_async_worker_';

describe('AsyncWorkerMetrics, before any message', () => {
  it.each([
    { name: 'messages_total', series: 8 },
    { name: 'tries_total', series: 6 },
    { name: 'recovered_total', series: 2 },
    { name: 'dead_letters_total', series: 3 },
    { name: 'in_flight', series: 1 },
  ])('has $series series of $name for each queue, all at 0', async ({ name, series }) => {
    const metrics = new AsyncWorkerMetrics();
    metrics.startAtZero(['a', 'b']);
    const stored = await metrics.registry.getSingleMetric(PREFIX + name)?.get();
    expect(stored?.values.map(({ value }) => value)).toEqual(Array.from({ length: 2 * series }, () => 0));
  });

  it('knows nothing of Redis', async () => {
    const metrics = new AsyncWorkerMetrics();
    metrics.startAtZero(['a']);
    expect(await samples(metrics, `${PREFIX}queue_depth`)).toEqual({});
  });
});

describe('AsyncWorkerMetrics.failure', () => {
  it('has few values, whatever it is told', () => {
    const metrics = new AsyncWorkerMetrics();
    const values = Array.from({ length: 500 }, (_, index) => metrics.failure(`word-${index}`));
    expect(new Set(values).size).toBe(21);
    expect(values.at(-1)).toBe('other');
  });
});

describe('statusResult', () => {
  it.each([
    [200, '2xx'],
    [204, '2xx'],
    [302, '3xx'],
    [400, 'other_4xx'],
    [408, 'other_4xx'],
    [429, '429'],
    [500, 'other_5xx'],
    [503, '503'],
    [504, 'other_5xx'],
  ])('shows %d as %s', (status, shown) => {
    expect(statusResult(status)).toBe(shown);
  });
});
