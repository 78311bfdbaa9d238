import { describe, expect, it } from '@jest/globals';
import { mergeLists, mergeStatus } from './merge-status.ts';
import type { WorkerStatus } from './merge-status.ts';

const status = (changes: Partial<WorkerStatus> = {}): WorkerStatus => ({
  version: '1.2.3',
  in_flight: 2,
  log_level: 2,
  phase: 'serving',
  isReady: true,
  dependencies: [],
  totals: { requests: 10, errors: { internal: 1 }, probes: { served: 4 }, encode: { requests: 1, calls: 8 } },
  ...changes,
});

describe('the status of all workers', () => {
  it('sums what is counted', () => {
    const totals = {
      requests: 5,
      errors: { internal: 2, upstream_5xx: 3 },
      probes: {},
      encode: { requests: 0, calls: 0 },
    };
    expect(mergeStatus([status(), status({ in_flight: 3, totals })])).toEqual({
      ...status(),
      workers: 2,
      in_flight: 5,
      totals: {
        requests: 15,
        errors: { internal: 3, upstream_5xx: 3 },
        probes: { served: 4 },
        encode: { requests: 1, calls: 8 },
      },
    });
  });

  it('is ready where every worker is, and tells of one that is not', () => {
    const dependencies = [{ name: 'gateway', isUp: false, isRequired: true, reason: 'refused' }];
    expect(mergeStatus([status(), status({ isReady: false, phase: 'draining', dependencies })])).toMatchObject({
      isReady: false,
      phase: 'draining',
      dependencies,
    });
  });

  it('says that there is none', () => {
    expect(mergeStatus([])).toMatchObject({ workers: 0, isReady: false, phase: 'starting', totals: { requests: 0 } });
  });
});

describe('the requests of all workers', () => {
  it('are listed the latest first, at most as many as asked for', () => {
    const at = (second: number) => ({ started: `2026-01-01T00:00:0${second}.000Z` });
    const lists = [
      { in_flight: [at(4)], finished: [at(3), at(1)] },
      { in_flight: [at(5)], finished: [at(2)] },
    ];
    expect(mergeLists(lists)).toEqual({ in_flight: [at(5), at(4)], finished: [at(3), at(2), at(1)] });
    expect(mergeLists(lists, 1)).toEqual({ in_flight: [at(5)], finished: [at(3)] });
  });
});
