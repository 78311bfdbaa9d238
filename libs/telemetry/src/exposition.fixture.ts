import fc from 'fast-check';
import { METRICS } from './metric-catalogue.ts';
import type { MetricName, MetricSpec } from './metric-catalogue.ts';
import { Metrics } from './metrics.ts';

/** One thing that is measured, on any metric of the catalogue. */
export interface Measurement {
  readonly metric: MetricName;
  readonly labels: readonly string[];
  readonly value: number;
  readonly traceId: string | undefined;
}

/** Label values with all that an exposition must escape, and with what it must not. */
const labelValue = fc.oneof(
  fc.constantFrom(
    '',
    'm',
    'a"b',
    'a\\b',
    'a\nb',
    '\\n',
    '"',
    '\\',
    ' a ',
    'a,b="c"',
    '}',
    '# EOF',
    '中😀',
    '\t\r',
    'a\u0000b',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const value = fc.oneof(
  fc.double({ min: 0, max: 4000, noNaN: true }),
  fc.constantFrom(0, 1, 64, 0.005, 1e-9, 1e21, 2 ** 40, 3600, 3600.0001),
);

export const measurements: fc.Arbitrary<readonly Measurement[]> = fc.array(
  fc.constantFrom(...names()).chain((metric) =>
    fc.record({
      metric: fc.constant(metric),
      labels: fc.tuple(...METRICS[metric].labels.map(() => labelValue)),
      value,
      traceId: fc.option(fc.constantFrom('0af7651916cd43dd8448eb211c80319c', 'f'.repeat(32)), { nil: undefined }),
    }),
  ),
  { maxLength: 40 },
);

/** Metrics with these measurements in them. */
export function measured(all: readonly Measurement[]): Metrics {
  const metrics = new Metrics();
  // those of the process change between two looks
  const own = new Set<string>(Object.values(METRICS).map(({ name }) => name));
  for (const { name } of metrics.registry.getMetricsAsArray())
    if (!own.has(name)) metrics.registry.removeSingleMetric(name);
  for (const measurement of all) apply(metrics, measurement);
  return metrics;
}

/** A metric's instrument, whichever it is: the labels are as many as its catalogue entry has. */
interface AnyInstrument {
  add?(labels: readonly string[], amount: number): void;
  observe?(labels: readonly string[], value: number, traceId?: string): void;
  set?(labels: readonly string[], value: number): void;
}

function apply(metrics: Metrics, { metric, labels, value: amount, traceId }: Measurement): void {
  const spec: MetricSpec = METRICS[metric];
  // the union of all instruments has no call in common
  const instrument = metrics.on[metric] as AnyInstrument;
  if (spec.type === 'gauge') instrument.set?.(labels, amount);
  else if (spec.type === 'counter') instrument.add?.(labels, amount);
  else instrument.observe?.(labels, amount, traceId);
}

function names(): MetricName[] {
  // the keys are those of METRICS
  return Object.keys(METRICS) as MetricName[];
}
