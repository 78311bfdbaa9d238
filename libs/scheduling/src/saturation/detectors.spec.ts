import { describe, expect, it } from '@jest/globals';
import { Candidate } from '../candidate.ts';
import type { InFlight } from '../candidate.ts';
import { IN_FLIGHT_PRODUCER } from '../default-producers.ts';
import { NO_LOAD } from '../endpoint.ts';
import type { EndpointLoad } from '../endpoint.ts';
import type { Plugin, SaturationDetector } from '../plugin.ts';
import { inFlightParams } from '../producers/inflight-load.params.ts';
import { InFlightLoadProducer } from '../producers/inflight-load.producer.ts';
import { aCandidate, aContext, aRequest, aResult } from '../scheduling.fixture.ts';
import { pluginMetadata } from '../scheduling-plugin.decorator.ts';
import { ConcurrencyDetector } from './concurrency.detector.ts';
import { UtilizationDetector } from './utilization.detector.ts';

const endpoint = { id: 'ns/a', namespace: 'ns', name: 'a', address: '10.0.0.1', port: 8000, labels: {} };
const MINUTE = 60_000;

function saying(load: Partial<EndpointLoad>): Candidate {
  return new Candidate({ endpoint, load: { ...NO_LOAD, ...load } });
}

function sent(load: InFlight, producer = IN_FLIGHT_PRODUCER): Candidate {
  const candidate = saying({});
  candidate.setInFlight(producer, load);
  return candidate;
}

describe('UtilizationDetector', () => {
  // an hour, so that no pause of the test makes a figure old
  const detector = utilization({ metricsStalenessThreshold: '1h' });
  const now = (): number => performance.now();

  it.each([
    { load: { waiting: 0, kvUsage: 0 }, expected: 0 },
    { load: { waiting: 5, kvUsage: 0 }, expected: 1 },
    { load: { waiting: 1, kvUsage: 0.4 }, expected: 0.5 },
    { load: { waiting: 2, kvUsage: undefined }, expected: 0.4 },
    { load: { waiting: 10, kvUsage: 1 }, expected: 2 },
  ])('takes the fuller of queue and cache: $load is $expected', ({ load, expected }) => {
    expect(detector.saturation([saying({ ...load, updatedAt: now() })])).toBeCloseTo(expected);
  });

  it('is the mean over endpoints', () => {
    const candidates = [0, 5, 10].map((waiting) => saying({ waiting, kvUsage: 0, updatedAt: now() }));
    expect(detector.saturation(candidates)).toBeCloseTo(1);
  });

  it.each([
    { what: 'no endpoint', candidates: [] },
    { what: 'an endpoint that was never scraped', candidates: [saying({ waiting: 0 })] },
    { what: 'neither figure', candidates: [saying({ blockSize: 16, updatedAt: performance.now() })] },
    {
      what: 'figures older than the threshold',
      candidates: [saying({ waiting: 0, kvUsage: 0, updatedAt: performance.now() - 61 * MINUTE })],
    },
  ])('is full with $what', ({ candidates }) => {
    expect(detector.saturation(candidates)).toBe(1);
  });

  it('lets figures age for 200 ms where nothing is said', () => {
    const byDefault = utilization();
    expect(byDefault.saturation([saying({ waiting: 0, kvUsage: 0, updatedAt: now() - 201 })])).toBe(1);
  });

  it.each([{ queueDepthThreshold: 0 }, { kvCacheUtilThreshold: 1.1 }, { metricsStalenessThreshold: '0s' }, { no: 1 }])(
    'refuses %j',
    (parameters) => {
      expect(() => utilization(parameters)).toThrow();
    },
  );
});

describe('ConcurrencyDetector', () => {
  it.each([
    { parameters: {}, expected: 0.5 },
    { parameters: { maxConcurrency: 50 }, expected: 1 },
    { parameters: { concurrencyMode: 'tokens', maxTokenConcurrency: 1000 }, expected: 0.2 },
    { parameters: { concurrencyMode: 'hybrid', maxTokenConcurrency: 100 }, expected: 2 },
  ])('$parameters makes 100 requests and 400 tokens on two endpoints $expected', ({ parameters, expected }) => {
    const candidates = [sent({ requests: 100, tokens: 400 }), saying({})];
    expect(concurrency(parameters).saturation(candidates)).toBeCloseTo(expected);
  });

  it('is full without endpoints', () => {
    expect(concurrency({}).saturation([])).toBe(1);
  });

  it('counts what the producer that it names has found', () => {
    const detector = concurrency({ inFlightLoadProducerName: 'mine', maxConcurrency: 10 });
    expect(detector.saturation([sent({ requests: 5, tokens: 0 }, 'mine')])).toBe(0.5);
  });

  it('asks the producer for what candidates do not know yet', () => {
    const context = aContext({ name: IN_FLIGHT_PRODUCER });
    const producer = new InFlightLoadProducer(inFlightParams.parse(undefined), context);
    const detector = concurrency({ maxConcurrency: 2 }, { [IN_FLIGHT_PRODUCER]: producer });
    const candidate = aCandidate();
    context.endpoints.replace([candidate.endpoint]);
    expect(detector.saturation([candidate])).toBe(0);
    producer.before(aRequest(), aResult({ decode: [candidate] }));
    expect(detector.saturation([aCandidate()])).toBe(0.5);
  });

  it.each([
    { what: 'no such plugin', plugins: {} },
    { what: 'one that does not count', plugins: { [IN_FLIGHT_PRODUCER]: utilization() } },
  ])('counts nothing with $what', ({ plugins }) => {
    expect(concurrency({}, plugins).saturation([saying({})])).toBe(0);
  });

  it('has a producer of in-flight counts made for it', () => {
    expect(pluginMetadata(ConcurrencyDetector).requires).toEqual([IN_FLIGHT_PRODUCER]);
  });
});

function utilization(parameters?: unknown): SaturationDetector {
  // the schema of that class makes what its constructor takes
  return new UtilizationDetector(pluginMetadata(UtilizationDetector).parameters.parse(parameters));
}

function concurrency(parameters?: unknown, plugins: Readonly<Record<string, Plugin>> = {}): SaturationDetector {
  const context = aContext({ plugins });
  return new ConcurrencyDetector(pluginMetadata(ConcurrencyDetector).parameters.parse(parameters), context);
}
