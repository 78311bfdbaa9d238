import type { MetricSpec } from '../metric-catalogue.ts';
import { metricSpecs } from '../metric-specs.ts';

const { counter, gauge, histogram: histogramOf } = metricSpecs('llm_d_epp_');

/** What most series of a request are told apart by. Names and values are the client's, and capped. */
const MODEL = ['model_name', 'target_model_name', 'fairness_id', 'priority'] as const;
const PLUGIN = ['plugin_name', 'plugin_type'] as const;

const powersOfTwo = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => 2 ** (from + index));

/** Borders as upstream has them, 32778 among them, which is its spelling. */
const BUCKETS = {
  latency: [
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60, 120, 180, 240,
    300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
  ],
  firstToken: [
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60, 120,
  ],
  requestSize: powersOfTwo(6, 30),
  responseSize: [1, ...powersOfTwo(3, 14), 32_778, 65_536],
  inputTokens: [1, ...powersOfTwo(3, 14), 32_778, ...powersOfTwo(16, 20)],
  outputTokens: [1, ...powersOfTwo(3, 13)],
  perToken: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
  streamedToken: [
    0.0005, 0.00205, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.125, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 2,
  ],
  betweenTokens: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2],
  scheduling: [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1],
  processing: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.015, 0.025, 0.04, 0.06, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  responding: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  ratio: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
  hitBytes: [0, ...powersOfTwo(4, 16)],
  stream: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600],
} as const;

function histogram<const L extends readonly string[]>(name: string, labels: L, of: keyof typeof BUCKETS, help: string) {
  return histogramOf(name, labels, BUCKETS[of], help);
}

/** Every metric of the endpoint picker; names, labels and buckets are upstream's (`epp.md` 8.4). */
export const PICKER_METRICS = {
  requests: counter('request_total', MODEL, 'Requests that were given an endpoint.'),
  requestErrors: counter('request_error_total', [...MODEL, 'error_code'], 'Requests that failed, each once.'),
  requestDuration: histogram('request_duration_seconds', MODEL, 'latency', 'Request headers to the end of the answer.'),
  requestSize: histogram('request_size_bytes', MODEL, 'requestSize', 'Bytes of the request body.'),
  responseSize: histogram('response_size_bytes', MODEL, 'responseSize', 'Bytes of the answer.'),
  inputTokens: histogram('request_input_tokens', MODEL, 'inputTokens', 'Prompt tokens, as the worker counted them.'),
  cachedTokens: histogram('request_cached_tokens', MODEL, 'inputTokens', 'Prompt tokens that the worker had cached.'),
  outputTokens: histogram('request_output_tokens', MODEL, 'outputTokens', 'Tokens that the worker made.'),
  requestsRunning: gauge('request_running', MODEL, 'Requests that were sent out and are not over.'),
  perOutputToken: histogram('request_ntpot_seconds', MODEL, 'perToken', 'Duration over output tokens.'),
  timeToFirstToken: histogram(
    'request_ttft_seconds',
    [...MODEL, 'streaming'],
    'firstToken',
    'Request headers to the first byte of the answer.',
  ),
  timePerOutputToken: histogram(
    'request_streaming_tpot_seconds',
    MODEL,
    'streamedToken',
    'First byte to the end, over the tokens behind the first one.',
  ),
  betweenTokens: histogram('request_streaming_itl_seconds', MODEL, 'betweenTokens', 'Gap between two chunks.'),
  kvUsageMean: gauge('average_kv_cache_utilization', ['name'], 'Mean part of the KV cache in use, over the pool.'),
  kvUsageSpread: gauge('std_dev_kv_cache_utilization', ['name'], 'Standard deviation of the KV cache use.'),
  queueMean: gauge('average_queue_size', ['name'], 'Mean of waiting requests, over the pool.'),
  queueSpread: gauge('std_dev_queue_size', ['name'], 'Standard deviation of waiting requests.'),
  runningMean: gauge('average_running_requests', ['name'], 'Mean of running requests, over the pool.'),
  runningSpread: gauge('std_dev_running_requests', ['name'], 'Standard deviation of running requests.'),
  readyEndpoints: gauge('ready_endpoints', ['name'], 'Endpoints whose metrics are fresh.'),
  endpointQueue: gauge(
    'per_endpoint_queue_size',
    ['name', 'model_server_endpoint'],
    'Waiting requests of an endpoint.',
  ),
  schedulerDuration: histogram('scheduler_e2e_duration_seconds', [], 'scheduling', 'A scheduling cycle.'),
  schedulerAttempts: counter(
    'scheduler_attempts_total',
    ['status', 'target_model_name', 'endpoint_name', 'namespace', 'port'],
    'Scheduling cycles, by outcome and by the endpoint that was chosen.',
  ),
  pluginDuration: histogram(
    'plugin_duration_seconds',
    ['extension_point', 'plugin_type', 'plugin_name'],
    'scheduling',
    'Time in one plugin.',
  ),
  requestProcessing: histogram(
    'request_processing_duration_seconds',
    [],
    'processing',
    'Request headers to the replies, failures too.',
  ),
  responseProcessing: histogram(
    'response_processing_duration_seconds',
    [],
    'responding',
    'Time spent on one answer, all of its chunks together.',
  ),
  info: gauge('info', ['commit', 'build_ref'], '1; what runs.'),
  modelRewrites: counter(
    'model_rewrite_decisions_total',
    ['model_rewrite_name', 'model_name', 'target_model'],
    'Requests whose model was rewritten.',
  ),
  pollErrors: counter('datalayer_poll_errors_total', ['source_type'], 'Scrapes that failed.'),
  extractErrors: counter(
    'datalayer_extract_errors_total',
    ['source_type', 'extractor_type'],
    'Scrapes that could not be read.',
  ),
  prefixIndexSize: gauge('prefix_indexer_size', PLUGIN, 'Blocks in the prefix index.'),
  prefixHitRatio: histogram('prefix_indexer_hit_ratio', PLUGIN, 'ratio', 'Matched part of a prompt on its endpoint.'),
  prefixHitBytes: histogram(
    'prefix_indexer_hit_bytes',
    PLUGIN,
    'hitBytes',
    'Matched bytes of a prompt on its endpoint.',
  ),
  disaggregations: counter(
    'disagg_decision_total',
    [...PLUGIN, 'model_name', 'decision_type'],
    'Requests by the stages that were given a worker of their own.',
  ),
  inFlightRequests: gauge(
    'inflight_requests',
    ['endpoint_name', 'namespace', 'producer_name', 'fairness_id', 'priority'],
    'Requests that were sent to an endpoint and are not over.',
  ),
  inFlightTokens: gauge(
    'inflight_tokens',
    ['endpoint_name', 'namespace', 'producer_name', 'fairness_id', 'priority'],
    'Tokens that were sent to an endpoint and have not been worked on.',
  ),
  streamsInFlight: gauge('extproc_streams_inflight', [], 'Streams of the proxy that are open.'),
  streamDuration: histogram('extproc_stream_duration_seconds', [], 'stream', 'How long a stream was open.'),
  streams: counter('extproc_streams_total', ['code'], 'Streams that ended, by gRPC status.'),
} as const satisfies Record<string, MetricSpec>;
