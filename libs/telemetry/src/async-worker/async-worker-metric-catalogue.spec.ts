import { describe, expect, it } from '@jest/globals';
import type { MetricSpec } from '../metric-catalogue.ts';
import { ASYNC_WORKER_METRICS } from './async-worker-metric-catalogue.ts';

const catalogue: readonly MetricSpec[] = Object.values(ASYNC_WORKER_METRICS);
/** What a client chooses, and there may be any number of. */
const UNBOUNDED = ['tenant', 'userid', 'id', 'model_name', 'receipt'];

describe('ASYNC_WORKER_METRICS', () => {
  it('names each metric once', () => {
    expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length);
  });

  it.each(catalogue)('$name says what it is, in sentences', ({ help }) => {
    expect(help).toMatch(/^[1A-Z].*\.$/);
  });

  it.each(catalogue)('$name ends as its type wants it', ({ name, type }) => {
    expect(name).toMatch(/^llm_d_async_worker_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
  });

  it.each(catalogue)('$name has no label that a client chooses', ({ labels }) => {
    expect(labels.filter((label) => UNBOUNDED.includes(label))).toEqual([]);
  });
});
