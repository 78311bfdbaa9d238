import { beforeAll, describe, expect, it } from '@jest/globals';
import { aRequest } from '#testing';
import { heldBytes } from './held-bytes.fixture.ts';
import { anArrival, requestTelemetry, silence } from './request-telemetry.fixture.ts';

/** Series of one model: a request that fails has each of the metrics by model once, and the lines of their buckets. */
const SERIES_OF_A_MODEL = 10;
/** Models with a value of their own, `unknown` and `other`. */
const MODELS = 1002;
const OWN_SERIES = 300;

/** A name as nobody would choose it, of up to 4 KB, with what has to be escaped. */
function junk(index: number): string {
  const name = `junk-${index}`;
  if (index % 50 === 0) return `${name}-${'x'.repeat(4096)}`;
  if (index % 50 === 1) return `${name}"\\\n`;
  return name;
}

describe('RequestTelemetry, of 100,000 requests for models that nobody has', () => {
  const { metrics, recorder, telemetry } = requestTelemetry();
  let [afterSome, afterAll] = [0, 0];

  beforeAll(() => {
    silence();
    const request = aRequest();
    for (let index = 0; index < 100_000; index++) {
      if (index === 10_000) afterSome = heldBytes();
      const watch = telemetry.begin(anArrival(index % 10 === 0 ? { route: undefined, path: `/odd/${index}` } : {}));
      watch.bodyRead(100);
      watch.parsed({ ...request, model: junk(index) });
      watch.ended({ end: 'completed', status: 404, bytes: 100, isStream: false });
    }
    afterAll = heldBytes();
  });

  it('has a bounded number of series, and one for the rest', async () => {
    const text = await metrics.registry.metrics();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const series = new Set(
      lines.map((line) => line.replace(/_(bucket|sum|count)(?=[{ ])/, '').replace(/,?le="[^"]*"| \S+$/g, '')),
    );
    expect(series.size).toBeLessThan(MODELS * SERIES_OF_A_MODEL + OWN_SERIES);
    const totals = lines.filter((line) => line.startsWith('llm_d_coordinator_request_total{'));
    expect(totals).toHaveLength(1001);
    expect(totals.filter((line) => line.includes('{model_name="other"}'))).toHaveLength(1);
    expect(totals.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).toBe(90_000);
  });

  it('has no more of the last ten thousand than of the first', () => {
    expect(afterAll - afterSome).toBeLessThan(8 * 1024 * 1024);
  });

  it('has counted every request out again', async () => {
    const running = await metrics.registry.getSingleMetric('llm_d_coordinator_request_running')?.get();
    expect(running?.values.filter(({ value }) => value !== 0)).toEqual([]);
    expect(recorder.inFlight).toBe(0);
  });
});
