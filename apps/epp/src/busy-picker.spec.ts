import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PLUGINS } from '#scheduling';
import { Tracing } from '#telemetry';
import { PICKER_METRICS, PickerFacts, PickerMetrics, PickerTelemetry, SchedulerAttempts } from '#telemetry/picker';
import { EnvoyStream, SILENT, aRunningEpp, extProcClient } from './epp.fixture.ts';
import { requestBody, requestHeaders, responseBody, responseHeaders } from './ext-proc/exchange.fixture.ts';
import { metricsPage } from './metrics.companion.ts';
import { failuresCounted, scraping } from './scraping.companion.ts';

const CONFIG = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: decode-filter
- type: prefill-filter
- type: always-disagg-pd-decider
- {type: disagg-profile-handler, parameters: {deciders: {prefill: always-disagg-pd-decider}}}
- {type: approx-prefix-cache-producer, parameters: {autoTune: false, blockSizeTokens: 4}}
- type: inflight-load-producer
- type: prefix-cache-scorer
- type: queue-scorer
schedulingProfiles:
- {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: prefix-cache-scorer}]}
- {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: queue-scorer}]}`;

const WHOLE = `vllm:num_requests_waiting 1
vllm:num_requests_running 2
vllm:kv_cache_usage_perc 0.5
vllm:cache_config_info{block_size="16",num_gpu_blocks="100"} 1
`;
const USAGE = '{"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}';

const closing: (() => unknown)[] = [];
let page: string;

/** A worker that says that of itself, as `ip:port`. */
async function worker(exposition: string): Promise<string> {
  const server = createServer((_request, response) => response.end(exposition)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  // a TCP server has an address with a port
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  const metrics = new PickerMetrics();
  metrics.on.info.set(['commit', 'build'], 1);
  let url = '';
  const [whole, partial] = [await worker(WHOLE), await worker('vllm:num_requests_waiting 1\n')];
  const endpoints = [`decode=${whole};role=decode`, `prefill=${partial};role=prefill`, 'gone=127.0.0.1:1;role=encode'];
  const epp = await aRunningEpp(
    [
      `--config-text=${CONFIG}`,
      `--endpoints=${endpoints.join(',')}`,
      '--metrics-port=0',
      '--enable-grpc-stream-metrics',
    ],
    {
      plugins: PLUGINS,
      timers: metrics.pluginTimers(),
      observe: ({ options, picker, endpoints: store }) =>
        new PickerTelemetry(metrics, new Tracing(undefined), {
          facts: new PickerFacts(picker),
          attempts: new SchedulerAttempts(metrics, store),
          measuresStreams: options.metrics.measuresStreams,
        }),
      companions: [
        scraping(failuresCounted(metrics)),
        metricsPage(metrics, SILENT, (listening) => {
          url = listening;
        }),
      ],
    },
  );
  const client = extProcClient(epp.port);
  closing.unshift(
    () => client.close(),
    () => epp.drain.run('SIGTERM'),
  );

  const ask = (stream: boolean, headers: Readonly<Record<string, string>> = {}): EnvoyStream => {
    const envoy = EnvoyStream.open(client);
    const messages = [{ role: 'user', content: 'tell me of all the things that are said twice' }];
    const body = JSON.stringify({ model: 'm', stream, messages });
    envoy.say(requestHeaders({ ':path': '/v1/chat/completions', ...headers }), requestBody(body, true));
    return envoy;
  };
  const refused = EnvoyStream.open(client);
  refused.say(requestHeaders({ ':path': '/v1/chat/completions' }), requestBody('{', true));
  await refused.ended;
  for (const stream of [true, false]) {
    const envoy = ask(stream, { 'x-llm-d-model-name-rewrite': 'm-2' });
    await envoy.has(2);
    envoy.say(responseHeaders({ 'content-type': stream ? 'text/event-stream' : 'application/json' }));
    if (stream) envoy.say(responseBody('data: {}\n\n'), responseBody(`data: ${USAGE}\n\n`, true));
    else envoy.say(responseBody(USAGE, true));
    await envoy.has(stream ? 5 : 4);
    envoy.call.end();
    await envoy.ended;
  }
  // one that is not over, for what is in flight
  await ask(true).has(2);
  page = await pageWith(url, [
    'datalayer_poll_errors_total{',
    'datalayer_extract_errors_total{',
    'ready_endpoints{name="default"} 2',
  ]);
});

afterAll(async () => {
  for (const close of closing) await close();
});

/** The page of metrics, as soon as endpoints were scraped. */
async function pageWith(url: string, needed: readonly string[]): Promise<string> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text();
    if (needed.every((sample) => text.includes(`llm_d_epp_${sample}`))) return text;
  }
}

/** Values of the samples of that name, whatever their labels. */
function valuesOf(name: string): readonly number[] {
  const samples = page.matchAll(new RegExp(String.raw`^${name}(?:\{.*\})? (\S+)$`, 'gm'));
  return [...samples].map(([, value]) => Number(value));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const of = (type: string) => Object.values(PICKER_METRICS).filter((metric) => metric.type === type);

describe('the metrics of a picker that has something to do', () => {
  it.each(of('counter'))('count $name', ({ name }) => {
    expect(sum(valuesOf(name))).toBeGreaterThan(0);
  });

  it.each(of('histogram'))('observe $name', ({ name }) => {
    expect(sum(valuesOf(`${name}_count`))).toBeGreaterThan(0);
  });

  it.each(of('gauge'))('show $name', ({ name }) => {
    expect(valuesOf(name).length).toBeGreaterThan(0);
  });

  it('are all in the catalogue', () => {
    const names = [...page.matchAll(/^# TYPE (llm_d_epp_\S+)/gm)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(Object.values(PICKER_METRICS).map(({ name }) => name)));
  });

  it.each([
    'RequestParsing", plugin_type="openai-parser',
    'DataProducer", plugin_type="approx-prefix-cache-producer',
    'ProfilePicker", plugin_type="disagg-profile-handler',
    'Filter", plugin_type="prefill-filter',
    'Scorer", plugin_type="queue-scorer',
    'Picker", plugin_type="max-score-picker',
    'ProcessProfilesResults", plugin_type="disagg-profile-handler',
    'PreRequest", plugin_type="inflight-load-producer',
    'ResponseStreaming", plugin_type="inflight-load-producer',
  ])('time plugins at %s', (labels) => {
    const sample = `llm_d_epp_plugin_duration_seconds_count{extension_point="${labels.replace(', ', ',')}",`;
    const [line = ''] = page.split('\n').filter((text) => text.startsWith(sample));
    expect(Number(line.split(' ').at(-1))).toBeGreaterThan(0);
  });

  it.each([
    'disagg_decision_total{plugin_name="disagg-profile-handler",plugin_type="disagg-profile-handler",model_name="m-2",decision_type="prefill-decode"} 2',
    'model_rewrite_decisions_total{model_rewrite_name="header",model_name="m",target_model="m-2"} 2',
    'inflight_requests{endpoint_name="decode",namespace="default",producer_name="inflight-load-producer",fairness_id="default-flow",priority="0"} 1',
    'inflight_requests{endpoint_name="gone",namespace="default",producer_name="inflight-load-producer",fairness_id="default-flow",priority="0"} 0',
    'scheduler_e2e_duration_seconds_count 3',
    'request_processing_duration_seconds_count 4',
    'response_processing_duration_seconds_count 2',
    'extproc_streams_inflight 1',
    'extproc_streams_total{code="OK"} 3',
    'prefix_indexer_hit_ratio_count{plugin_name="approx-prefix-cache-producer",plugin_type="approx-prefix-cache-producer"} 3',
  ])('have %s', (sample) => {
    expect(page).toContain(`\nllm_d_epp_${sample}\n`);
  });
});
