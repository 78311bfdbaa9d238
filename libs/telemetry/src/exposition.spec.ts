import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { measured, measurements } from './exposition.fixture.ts';
import { expose, negotiate } from './exposition.ts';
import type { Format } from './exposition.ts';
import { ExemplarStore } from './instruments.ts';
import { Metrics } from './metrics.ts';

async function text(metrics: Pick<Metrics, 'registry' | 'exemplars'>, format: Format = 'text'): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of expose(metrics.registry, metrics.exemplars, format)) pieces.push(piece);
  return pieces.join('');
}

describe('negotiate', () => {
  const [OPENMETRICS, TEXT] = ['application/openmetrics-text', 'text/plain'];

  it.each<[accept: string | undefined, format: Format]>([
    [undefined, 'text'],
    ['', 'text'],
    ['*/*', 'text'],
    ['text/*', 'text'],
    ['application/json', 'text'],
    [TEXT, 'text'],
    [`${TEXT};version=0.0.4;q=0.5, */*;q=0.1`, 'text'],
    [OPENMETRICS, 'openmetrics'],
    [`${OPENMETRICS}; version=1.0.0; charset=utf-8`, 'openmetrics'],
    [OPENMETRICS.toUpperCase(), 'openmetrics'],
    [`${OPENMETRICS};q=0`, 'text'],
    [`${OPENMETRICS};q=0.0`, 'text'],
    [`${OPENMETRICS};version=1.0.0;q=0.9,${TEXT};q=0.1`, 'openmetrics'],
    [`${TEXT};q=0.1,${OPENMETRICS};version=1.0.0;q=0.9`, 'openmetrics'],
    [`${OPENMETRICS};q=0.2, ${TEXT};version=0.0.4;q=0.3`, 'text'],
    [`${OPENMETRICS};q=0.2, ${TEXT}`, 'text'],
    [`${OPENMETRICS} ; Q=0.2, ${TEXT} ; Q=0.1`, 'openmetrics'],
    [`${OPENMETRICS};version=0.0.1;q=0.1,${TEXT};q=0.3,${OPENMETRICS};version=1.0.0;q=0.5`, 'openmetrics'],
    [`x${OPENMETRICS}`, 'text'],
    [
      `application/vnd.google.protobuf;q=0.6,${OPENMETRICS};version=1.0.0;escaping=allow-utf-8;q=0.5,${TEXT};q=0.2`,
      'openmetrics',
    ],
  ])('answers Accept: %s in %s', (accept, format) => {
    expect(negotiate(accept)).toBe(format);
  });
});

describe('expose', () => {
  /** The library has an empty line between two metrics, and the border of a bucket before the other labels. */
  const arranged = (library: string): string =>
    library.replaceAll(/\n\n(?=# HELP)/g, '\n').replaceAll(/\{(le="[^"]*"),([^\n]*)\} (?=\d+\n)/g, '{$2,$1} ');

  it('writes text as the client library does, byte for byte, but for how it is arranged', async () => {
    await fc.assert(
      fc.asyncProperty(measurements, async (all) => {
        const metrics = measured(all);
        const library = await metrics.registry.metrics();
        expect(await text(metrics)).toBe(arranged(library));
      }),
      { numRuns: 100 },
    );
  });

  it('has the metrics of the process and the event loop', async () => {
    const written = await text(new Metrics());
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ]) {
      expect(written).toMatch(new RegExp(`^${name} [0-9.e+-]+$`, 'm'));
    }
  });

  it('writes what is not a finite number as Prometheus reads it', async () => {
    const metrics = measured([]);
    metrics.on.readiness.set(['not'], NaN);
    metrics.on.readiness.set(['more'], Infinity);
    metrics.on.readiness.set(['less'], -Infinity);
    const written = await text(metrics);
    for (const sample of ['{dependency="not"} NaN', '{dependency="more"} +Inf', '{dependency="less"} -Inf']) {
      expect(written).toContain(`llm_d_coordinator_readiness${sample}\n`);
    }
  });

  it('has no exemplar in text', async () => {
    const metrics = measured([]);
    metrics.on.requestDuration.observe(['m'], 1, 'a'.repeat(32));
    expect(await text(metrics)).not.toContain('trace_id');
  });

  it('goes on with the event loop between its pieces', async () => {
    const registry = new Registry();
    const histogram = new Histogram({
      name: 'h',
      help: 'h',
      labelNames: ['n'],
      buckets: Array.from({ length: 40 }, (_, n) => n),
      registers: [registry],
    });
    for (let index = 0; index < 10_000; index++) histogram.labels(String(index)).observe(1);
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    let bytes = 0;
    for await (const piece of expose(registry, new ExemplarStore(), 'text')) bytes += piece.length;
    isDone = true;
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(turns).toBeGreaterThan(10);
  });
});
