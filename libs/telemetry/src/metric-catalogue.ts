import { BUCKETS } from './buckets.ts';
import { metricSpecs } from './metric-specs.ts';

/** A metric as data: everything there is to know of it but its value. */
export interface MetricSpec {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

const { counter, gauge, histogram } = metricSpecs('llm_d_coordinator_');

const { histogram: genAi } = metricSpecs('gen_ai_server_');

const GEN_AI = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model', 'error_type'] as const;

/**
 * Every metric there is. Names, labels and buckets are upstream's where upstream has the metric (`coordinator.md` F.1); the rest is
 * `telemetry.md`. Nothing is created anywhere else; dashboards, alerts and docs import it.
 */
export const METRICS = {
  requests: counter('request_total', ['model_name'], 'Inference requests that came in, malformed ones too.'),
  requestErrors: counter('request_error_total', ['model_name', 'error_code'], 'Inference requests that failed.'),
  requestDuration: histogram('request_duration_seconds', ['model_name'], BUCKETS.general, 'Request line to last byte.'),
  requestSize: histogram('request_size_bytes', ['model_name'], BUCKETS.size, 'Bytes of request body that were read.'),
  inputTokens: histogram(
    'request_input_tokens',
    ['model_name'],
    BUCKETS.tokens,
    'Prompt tokens, once per rendered request.',
  ),
  requestsRunning: gauge('request_running', ['model_name'], 'Inference requests in flight.'),
  responseSize: histogram('response_size_bytes', ['stream'], BUCKETS.size, 'Bytes of response body that were written.'),
  stepDuration: histogram('step_duration_seconds', ['step'], BUCKETS.general, 'Time of a step, failed ones too.'),
  stepErrors: counter('step_errors_total', ['step', 'error_code'], 'Steps that failed.'),
  stepsRunning: gauge('step_running', ['step'], 'Steps in progress.'),
  upstreamRequests: counter('upstream_request_total', ['upstream'], 'Calls to render and the gateway, each try.'),
  upstreamDuration: histogram(
    'upstream_request_duration_seconds',
    ['upstream'],
    BUCKETS.general,
    'From a call to its response headers or its failure.',
  ),
  upstreamRetries: counter('upstream_retries_total', ['upstream', 'reason'], 'Calls sent again on a new connection.'),
  upstreamRejections: counter(
    'upstream_rejections_total',
    ['upstream', 'status'],
    'Answers of 4xx and 5xx, a 412 of the probe apart.',
  ),
  executionPath: counter('execution_path_total', ['model_name', 'path'], 'Requests by the phases they went through.'),
  probes: counter(
    'conditional_decode_probes_total',
    ['result'],
    'Probes of decode; deferred over all is the 412 rate.',
  ),
  probeDuration: histogram(
    'conditional_decode_probe_duration_seconds',
    ['result'],
    BUCKETS.general,
    'What a probe cost or saved: to its response headers or its failure.',
  ),
  encodeWidth: histogram(
    'encode_subrequests',
    [],
    BUCKETS.count,
    'Encode calls of one request: the width of the fan-out.',
  ),
  encodeDuration: histogram(
    'encode_subrequest_duration_seconds',
    ['outcome'],
    BUCKETS.general,
    'Time of one encode call.',
  ),
  overhead: histogram(
    'orchestration_overhead_seconds',
    ['route'],
    BUCKETS.general,
    'Time of a request outside of parsing and steps.',
  ),
  mediaItems: histogram('media_items', ['media_type'], BUCKETS.count, 'Media parts of one request, by kind.'),
  mediaDuration: histogram(
    'media_download_duration_seconds',
    ['result'],
    BUCKETS.general,
    'Time of one media download.',
  ),
  mediaBytes: histogram('media_download_bytes', ['media_type'], BUCKETS.size, 'Bytes of one media download.'),
  timeToFirstToken: histogram(
    'time_to_first_token_seconds',
    ['model_name', 'path'],
    BUCKETS.general,
    'Request line to the first event with output handed to the client; streams only.',
  ),
  timeToFirstTokenPart: histogram(
    'time_to_first_token_part_seconds',
    ['part'],
    BUCKETS.general,
    'The time to first token in parts that do not overlap and add up to it.',
  ),
  timePerOutputToken: histogram(
    'time_per_output_token_seconds',
    ['model_name'],
    BUCKETS.tokenTime,
    'Time between output tokens after the first.',
  ),
  outputTokens: histogram(
    'output_tokens',
    ['model_name'],
    BUCKETS.tokens,
    'Completion tokens by usage, where usage is known.',
  ),
  cachedTokens: histogram(
    'cached_tokens',
    ['model_name'],
    BUCKETS.tokens,
    'Prompt tokens found in a cache, by usage, where known.',
  ),
  streamOutcome: counter('stream_outcome_total', ['outcome'], 'How streamed responses that had begun ended.'),
  kvHandoff: counter(
    'kv_handoff_total',
    ['connector', 'result'],
    'Transfer parameters of prefill as decode gets them.',
  ),
  kvHandoffAge: histogram(
    'kv_handoff_age_seconds',
    ['connector'],
    BUCKETS.general,
    "From prefill's answer to decode's call.",
  ),
  asyncSubmissions: counter(
    'async_submissions_total',
    ['mode', 'outcome'],
    'Requests that asked for a mode of the async broker.',
  ),
  asyncHeld: gauge('async_held_requests', [], 'Requests that are held until their result is there.'),
  asyncHoldDuration: histogram(
    'async_hold_duration_seconds',
    ['outcome'],
    BUCKETS.general,
    'Time that a request was held.',
  ),
  asyncQuota: counter(
    'async_quota_total',
    ['outcome'],
    "Passthrough requests by how they stood to their tenant's quota.",
  ),
  asyncRedisErrors: counter(
    'async_redis_errors_total',
    ['command', 'failure'],
    'Commands that Redis did not carry out.',
  ),
  asyncQueueDepth: gauge(
    'async_queue_depth',
    ['queue'],
    'Queued requests that nobody has taken. No series while Redis is away.',
  ),
  asyncQueueOldest: gauge(
    'async_queue_oldest_seconds',
    ['queue'],
    'How long the request that is next has been queued. No series where none is, or while Redis is away.',
  ),
  asyncQueueDeadline: gauge(
    'async_queue_deadline_seconds',
    ['queue'],
    'Time that the request which is next has left, below 0 where it is over. No series where none is, or while Redis is away.',
  ),
  readiness: gauge('readiness', ['dependency'], '1 where the dependency answers, else 0.'),
  buildInfo: gauge('build_info', ['version', 'commit', 'node'], 'What runs; always 1.'),
  configInfo: gauge('config_info', ['hash'], 'Hash of the effective configuration; always 1.'),
  scrapeDuration: histogram('metrics_scrape_duration_seconds', [], BUCKETS.general, 'Time to answer a scrape.'),
  genAiDuration: genAi(
    'request_duration_seconds',
    GEN_AI,
    BUCKETS.genAiDuration,
    'GenAI conventions: time of a request.',
  ),
  genAiFirstToken: genAi(
    'time_to_first_token_seconds',
    GEN_AI,
    BUCKETS.genAiFirstToken,
    'GenAI conventions: time to the first token of a stream.',
  ),
  genAiPerToken: genAi(
    'time_per_output_token_seconds',
    GEN_AI,
    BUCKETS.tokenTime,
    'GenAI conventions: time per output token after the first.',
  ),
} as const satisfies Record<string, MetricSpec>;

export type MetricName = keyof typeof METRICS;
