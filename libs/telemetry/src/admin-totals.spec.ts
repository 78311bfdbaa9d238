import { describe, expect, it } from '@jest/globals';
import { adminTotals } from './admin-totals.ts';
import { Metrics } from './metrics.ts';

describe('adminTotals', () => {
  it('is zero of everything before anything happened', async () => {
    expect(await adminTotals(new Metrics())).toEqual({
      requests: 0,
      errors: {},
      probes: { served: 0, deferred: 0, error: 0, transport_error: 0 },
      encode: { requests: 0, calls: 0 },
    });
  });

  it('sums over models, and tells errors and probes by kind', async () => {
    const metrics = new Metrics();
    const { on } = metrics;
    on.requests.add(['a'], 3);
    on.requests.add(['b'], 2);
    on.requestErrors.add(['a', 'bad_request']);
    on.requestErrors.add(['b', 'bad_request']);
    on.requestErrors.add(['b', 'upstream_5xx']);
    on.probes.add(['deferred'], 4);
    on.probes.add(['served']);
    on.encodeWidth.observe([], 2);
    on.encodeWidth.observe([], 5);
    expect(await adminTotals(metrics)).toEqual({
      requests: 5,
      errors: { bad_request: 2, upstream_5xx: 1 },
      probes: { served: 1, deferred: 4, error: 0, transport_error: 0 },
      encode: { requests: 2, calls: 7 },
    });
  });
});
