import { BUCKETS } from '../buckets.ts';
import type { MetricSpec } from '../metric-catalogue.ts';
import { metricSpecs } from '../metric-specs.ts';

const { counter, gauge, histogram } = metricSpecs('llm_d_disagg_sidecar_');

/** Seconds of a stage, with upstream's borders (`sidecar.md` 12). */
const STAGE = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

/** Names of MoRI-IO's resolver, which upstream gave no prefix. */
function resolverCounter(name: string, help: string) {
  return { type: 'counter', name: `moriio_dns_${name}_total`, labels: [], help } as const;
}

/**
 * Every metric of the decode sidecar. The first six are upstream's; no label has a value that a client chooses: paths that are not
 * driven through stages are `passthrough`.
 */
export const SIDECAR_METRICS = {
  requests: counter('requests_total', ['api_type'], 'Requests that came in.'),
  disaggregated: counter(
    'disagg_requests_total',
    ['disagg_type'],
    'Requests with a stage on another worker; those that the engine beside serves alone are not among them.',
  ),
  encodeDuration: histogram('encode_duration_seconds', [], STAGE, 'Remote encode, all items, where it came off.'),
  prefillDuration: histogram('prefill_duration_seconds', [], STAGE, 'Remote prefill, where it came off.'),
  decodeDuration: histogram('decode_duration_seconds', [], STAGE, 'From the call of the engine to its last byte.'),
  stageErrors: counter(
    'request_errors_total',
    ['stage', 'reason'],
    'Stages that failed, by why: status_3xx, status_4xx, status_5xx, refused, reset, timeout, invalid_answer, malformed_target, bad_request, client_closed, drained. One that was called off because another failed is not among them.',
  ),
  requestsRunning: gauge('requests_running', [], 'Requests being answered.'),
  requestDuration: histogram(
    'request_duration_seconds',
    ['api_type', 'disagg_type'],
    BUCKETS.general,
    'From the first byte of a request to the last of its answer.',
  ),
  timeToFirstToken: histogram(
    'time_to_first_token_seconds',
    ['disagg_type'],
    BUCKETS.genAiFirstToken,
    'From the first byte of a request to the first event with output, remote stages included. Streams only.',
  ),
  answers: counter(
    'responses_total',
    ['status', 'outcome'],
    'Answers by status class (none where none was sent) and how they ended: completed, client_closed, stalled, upstream_reset, drained.',
  ),
  skipped: counter(
    'skipped_stages_total',
    ['reason'],
    'Requests with a remote stage that was asked for and did not run, or ran for nothing: denied, malformed_target, no_media_items, prompt_logprobs, echo_logprobs, no_room_fields, several_sequences, batched_prompt, no_kv_params, kv_params_not_object.',
  ),
  denied: counter(
    'denied_targets_total',
    ['role'],
    'Workers that a routing header named and that may not be called, not being in the pool or no host and port: prefill, encode, kv_cache_source.',
  ),
  prefillRetries: counter('prefill_retries_total', [], 'Prefills that were sent again.'),
  encodeItems: counter('encode_items_total', [], 'Media items that went to encode workers.'),
  prefilledTokens: counter('cached_tokens_total', [], 'Prompt tokens that the prefill worker had cached.'),
  chunks: counter('decode_chunks_total', [], 'Calls that chunked decode made.'),
  reresolved: resolverCounter('reresolve', 'Look-ups of hosts in the background.'),
  ipChanged: resolverCounter('ip_changed', 'Look-ups that gave another address.'),
  lookupFailures: resolverCounter('lookup_failures', 'Look-ups that gave none.'),
  info: gauge('info', ['commit', 'build_ref'], 'What is running; always 1.'),
} as const satisfies Record<string, MetricSpec>;
