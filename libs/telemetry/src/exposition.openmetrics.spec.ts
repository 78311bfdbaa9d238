import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { measured, measurements } from './exposition.fixture.ts';
import { expose } from './exposition.ts';
import { Metrics } from './metrics.ts';
import { openMetricsFaults } from './open-metrics.fixture.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

async function written(metrics: Metrics): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of expose(metrics.registry, metrics.exemplars, 'openmetrics')) pieces.push(piece);
  return pieces.join('');
}

describe('expose, OpenMetrics', () => {
  it('is valid, whatever was measured', async () => {
    await fc.assert(
      fc.asyncProperty(measurements, async (all) => {
        expect(openMetricsFaults(await written(measured(all)))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('is valid with the metrics of the process', async () => {
    expect(openMetricsFaults(await written(new Metrics()))).toEqual([]);
  });

  it('names a counter by its family, and its samples with _total', async () => {
    const metrics = measured([]);
    metrics.on.requests.add(['m']);
    const text = await written(metrics);
    expect(text).toContain('# TYPE llm_d_coordinator_request counter\n');
    expect(text).toContain('\nllm_d_coordinator_request_total{model_name="m"} 1\n');
  });

  it('has an exemplar in the bucket that the value of a sampled request fell into, the latest one', async () => {
    const metrics = measured([]);
    const since = Date.now() / 1000;
    metrics.on.requestDuration.observe(['m'], 0.3, 'a'.repeat(32));
    metrics.on.requestDuration.observe(['m'], 0.35, TRACE);
    metrics.on.requestDuration.observe(['m'], 0.39);
    metrics.on.requestDuration.observe(['m'], 99_999, TRACE);
    metrics.on.requestDuration.observe(['n'], 0.3);
    const exemplars = (await written(metrics)).split('\n').filter((line) => line.includes(' # '));
    expect(exemplars.map((line) => line.replace(/ [\d.]+$/, ''))).toEqual([
      `llm_d_coordinator_request_duration_seconds_bucket{model_name="m",le="0.4"} 3 # {trace_id="${TRACE}"} 0.35`,
      `llm_d_coordinator_request_duration_seconds_bucket{model_name="m",le="+Inf"} 4 # {trace_id="${TRACE}"} 99999`,
    ]);
    for (const line of exemplars)
      expect(Number(/ ([\d.]+)$/.exec(line)?.[1])).toBeGreaterThanOrEqual(Math.floor(since));
  });

  it('finds the exemplars of a series with several labels', async () => {
    const metrics = measured([]);
    metrics.on.timeToFirstToken.observe(['m"', 'decode-only'], 0.001, TRACE);
    expect(await written(metrics)).toContain(
      `{model_name="m\\"",path="decode-only",le="0.005"} 1 # {trace_id="${TRACE}"} 0.001 `,
    );
  });
});

describe('openMetricsFaults', () => {
  const GOOD = '# HELP a A.\n# TYPE a counter\na_total{x="1"} 1\n# EOF\n';

  it.each([
    ['no end', GOOD.replace('# EOF\n', ''), 'EOF'],
    ['something behind the end', `${GOOD}a_total 1\n`, 'EOF'],
    ['an empty line', GOOD.replace('# EOF', '\n# EOF'), 'neither'],
    ['a counter without its suffix', GOOD.replace('a_total', 'a'), 'suffix'],
    ['a counter family with a suffix', GOOD.replaceAll(' a ', ' a_total '), 'family'],
    ['a sample of no family', GOOD.replace('a_total', 'b_total'), 'family'],
    ['a family twice', GOOD.replace('# EOF', '# TYPE a counter\n# EOF'), 'twice'],
    ['a series twice', GOOD.replace('# EOF', 'a_total{x="1"} 2\n# EOF'), 'twice'],
    ['an unescaped quote', GOOD.replace('"1"', '"1"1"'), 'neither'],
    [
      'a border that is no float',
      '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 0\nh_bucket{le="+Inf"} 0\nh_sum 0\nh_count 0\n# EOF\n',
      'float',
    ],
    [
      'a histogram that ends early',
      '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1.0"} 0\nh_sum 0\nh_count 0\n# EOF\n',
      '+Inf',
    ],
    [
      'buckets that shrink',
      '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1.0"} 2\nh_bucket{le="+Inf"} 1\nh_sum 0\nh_count 1\n# EOF\n',
      'shrink',
    ],
    [
      'an exemplar on a sum',
      '# HELP h H.\n# TYPE h histogram\nh_bucket{le="+Inf"} 1\nh_sum 0 # {trace_id="a"} 1\nh_count 1\n# EOF\n',
      'exemplar',
    ],
    [
      'an exemplar outside of its bucket',
      '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1.0"} 1 # {a="b"} 2 1.0\nh_bucket{le="+Inf"} 1\nh_sum 0\nh_count 1\n# EOF\n',
      'outside',
    ],
  ])('finds %s', (_what, text, fault) => {
    expect(openMetricsFaults(GOOD)).toEqual([]);
    expect(openMetricsFaults(text).join('\n')).toContain(fault);
  });
});
