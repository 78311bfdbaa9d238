import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import { PICKER_TARGET, pickerSeries } from './picker.situation.ts';
import { growing, steady } from './situation.ts';
import type { Series, Situation } from './situation.ts';

const JOB = { job: 'epp' };
const POOL = { name: 'pool' };
const MINUTES = 60;

function ready(values: string, instance = PICKER_TARGET.instance): Series {
  return pickerSeries(PICKER_METRICS.readyEndpoints, { ...POOL, instance }, values);
}

/** Endpoints that have been ready once, of which there are still so many. */
function known(count: number): Series[] {
  return Array.from({ length: count }, (_, index) =>
    pickerSeries(
      PICKER_METRICS.endpointQueue,
      { ...POOL, model_server_endpoint: `decode-${index}` },
      steady(0, MINUTES),
    ),
  );
}

const SCRAPED = { source_type: 'metrics-data-source' };

function pollErrors(values: string): Series {
  return pickerSeries(PICKER_METRICS.pollErrors, SCRAPED, values);
}

/** Requests in flight by endpoint. */
function inFlight(endpoints: Readonly<Record<string, string>>): Series[] {
  const others = { namespace: 'llm', producer_name: 'inflight-load-producer', fairness_id: 'f', priority: '0' };
  return Object.entries(endpoints).map(([endpoint_name, values]) =>
    pickerSeries(PICKER_METRICS.inFlightRequests, { ...others, endpoint_name }, values),
  );
}

export const PICKER_ENDPOINTS_CASES: readonly Situation[] = [
  {
    alert: 'PickerNoReadyEndpoints',
    when: 'neither of two pickers has an endpoint any more',
    series: [ready('3x10 0x50'), ready('3x10 0x50', 'q:9090')],
    at: 15,
    fires: { notBefore: 12, labels: { ...JOB, ...POOL } },
  },
  {
    alert: 'PickerNoReadyEndpoints',
    when: 'one of two pickers has none, or both for a minute',
    series: [ready(steady(0, MINUTES)), ready('3x10 0 3x49', 'q:9090')],
    at: 12,
  },
  {
    alert: 'PickerEndpointsStale',
    when: 'two of three endpoints say nothing any more',
    series: [...known(3), ready('3x10 1x50')],
    at: 20,
    fires: { notBefore: 15, labels: { ...PICKER_TARGET, ...POOL }, value: '2' },
  },
  {
    alert: 'PickerEndpointsStale',
    when: 'all say how they are, one after a pause',
    series: [...known(3), ready('3x10 2 2 3x48')],
    at: 20,
  },
  {
    alert: 'PickerScrapeFailures',
    when: 'an endpoint answers one scrape a second with nothing',
    series: [pollErrors(growing(60, MINUTES))],
    at: 30,
    fires: { notBefore: 10, labels: { ...JOB, ...SCRAPED }, value: '1' },
  },
  {
    alert: 'PickerScrapeFailures',
    when: 'figures are missing in every scrape of one endpoint',
    series: [
      pollErrors(steady(0, MINUTES)),
      pickerSeries(
        PICKER_METRICS.extractErrors,
        { ...SCRAPED, extractor_type: 'core-metrics-extractor' },
        growing(1200, MINUTES),
      ),
    ],
    at: 30,
    fires: { notBefore: 10, labels: { ...JOB, ...SCRAPED }, value: '20' },
  },
  {
    alert: 'PickerScrapeFailures',
    when: 'endpoints were replaced, and some scrapes failed',
    series: [pollErrors(growing(60, 5, { perMinute: 1, minutes: 55 }))],
    at: 40,
  },
  {
    alert: 'PickerLoadSkewed',
    when: 'one of four pods of a Deployment has eighty requests in flight and the others ten each',
    series: inFlight({
      'decode-7d9f8b6c5-abcde': steady(80, MINUTES),
      'decode-7d9f8b6c5-bcdef': steady(10, MINUTES),
      'decode-7d9f8b6c5-cdefg': steady(10, MINUTES),
      'decode-7d9f8b6c5-defgh': steady(10, MINUTES),
    }),
    at: 40,
    fires: {
      notBefore: 14,
      // where the scraper adds no namespace, it is the endpoint's
      labels: { ...JOB, namespace: 'llm', producer_name: 'inflight-load-producer', set: 'decode-7d9f8b6c5' },
      value: '80',
    },
  },
  {
    alert: 'PickerLoadSkewed',
    when: 'decode pods have many in flight, prefill pods few, and one pod is busiest by half',
    series: inFlight({
      'decode-0': steady(90, MINUTES),
      'decode-1': steady(60, MINUTES),
      'prefill-0': steady(1, MINUTES),
      'prefill-1': steady(2, MINUTES),
      'prefill-2': steady(0, MINUTES),
    }),
    at: 40,
  },
  {
    alert: 'PickerLoadSkewed',
    when: 'an endpoint is alone, or all have little to do, or a new one joins',
    series: inFlight({
      'encode-0': steady(200, MINUTES),
      'prefill-0': steady(15, MINUTES),
      'prefill-1': steady(0, MINUTES),
      'decode-0': steady(60, MINUTES),
      'decode-1': '_x20 0+10x6 60x30',
    }),
    at: 32,
  },
];
