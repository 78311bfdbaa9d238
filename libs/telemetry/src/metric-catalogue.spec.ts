import { describe, expect, it } from '@jest/globals';
import { METRICS } from './metric-catalogue.ts';
import type { MetricSpec } from './metric-catalogue.ts';

const GENERAL =
  '0.005 0.025 0.05 0.1 0.2 0.4 0.6 0.8 1 1.25 1.5 2 3 4 5 6 8 10 15 20 30 45 60 120 180 240 300 360 480 600 900 1200 1800 2700 3600';
const SIZE =
  '64 128 256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304 8388608 16777216 33554432 ' +
  '67108864 134217728 268435456 536870912 1073741824';
const TOKENS = '1 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576';
const COUNT = '0 1 2 4 8 16 32 64 128 256';
/** `gen_ai.server.*` of the OpenTelemetry conventions; the first-token one goes on as `telemetry.md` says. */
const GEN_AI_DURATION = '0.01 0.02 0.04 0.08 0.16 0.32 0.64 1.28 2.56 5.12 10.24 20.48 40.96 81.92';
const GEN_AI_FIRST = '0.001 0.005 0.01 0.02 0.04 0.06 0.08 0.1 0.25 0.5 0.75 1 2.5 5 7.5 10 15 20 30 45 60';
const GEN_AI_TOKEN = '0.01 0.025 0.05 0.075 0.1 0.15 0.2 0.3 0.4 0.5 0.75 1 2.5';
const GEN_AI = 'gen_ai_operation_name gen_ai_provider_name gen_ai_request_model error_type';

type Row = readonly [name: string, type: MetricSpec['type'], labels: string, buckets: string];

/** `coordinator.md` F.1, without what it marks as a branch. */
const UPSTREAM: readonly Row[] = [
  ['request_total', 'counter', 'model_name', ''],
  ['request_error_total', 'counter', 'model_name error_code', ''],
  ['request_duration_seconds', 'histogram', 'model_name', GENERAL],
  ['request_size_bytes', 'histogram', 'model_name', SIZE],
  ['request_input_tokens', 'histogram', 'model_name', TOKENS],
  ['request_running', 'gauge', 'model_name', ''],
  ['step_duration_seconds', 'histogram', 'step', GENERAL],
  ['step_errors_total', 'counter', 'step error_code', ''],
  ['step_running', 'gauge', 'step', ''],
  ['upstream_request_total', 'counter', 'upstream', ''],
  ['upstream_request_duration_seconds', 'histogram', 'upstream', GENERAL],
  ['execution_path_total', 'counter', 'model_name path', ''],
  ['conditional_decode_probes_total', 'counter', 'result', ''],
  ['encode_subrequests', 'histogram', '', COUNT],
  ['orchestration_overhead_seconds', 'histogram', 'route', GENERAL],
  ['media_items', 'histogram', 'media_type', COUNT],
  ['media_download_duration_seconds', 'histogram', 'result', GENERAL],
  ['response_size_bytes', 'histogram', 'stream', SIZE],
];

/** `telemetry.md`. */
const ADDED: readonly Row[] = [
  ['time_to_first_token_seconds', 'histogram', 'model_name path', GENERAL],
  ['time_to_first_token_part_seconds', 'histogram', 'part', GENERAL],
  ['time_per_output_token_seconds', 'histogram', 'model_name', GEN_AI_TOKEN],
  ['output_tokens', 'histogram', 'model_name', TOKENS],
  ['cached_tokens', 'histogram', 'model_name', TOKENS],
  ['stream_outcome_total', 'counter', 'outcome', ''],
  ['conditional_decode_probe_duration_seconds', 'histogram', 'result', GENERAL],
  ['encode_subrequest_duration_seconds', 'histogram', 'outcome', GENERAL],
  ['kv_handoff_total', 'counter', 'connector result', ''],
  ['kv_handoff_age_seconds', 'histogram', 'connector', GENERAL],
  ['upstream_retries_total', 'counter', 'upstream reason', ''],
  ['upstream_rejections_total', 'counter', 'upstream status', ''],
  ['media_download_bytes', 'histogram', 'media_type', SIZE],
  ['async_submissions_total', 'counter', 'mode outcome', ''],
  ['async_held_requests', 'gauge', '', ''],
  ['async_hold_duration_seconds', 'histogram', 'outcome', GENERAL],
  ['async_quota_total', 'counter', 'outcome', ''],
  ['async_redis_errors_total', 'counter', 'command failure', ''],
  ['async_queue_depth', 'gauge', 'queue', ''],
  ['async_queue_oldest_seconds', 'gauge', 'queue', ''],
  ['async_queue_deadline_seconds', 'gauge', 'queue', ''],
  ['readiness', 'gauge', 'dependency', ''],
  ['build_info', 'gauge', 'version commit node', ''],
  ['config_info', 'gauge', 'hash', ''],
];

/** Field report 125: the time of a scrape is exported itself. */
const SCRAPE: readonly Row[] = [['metrics_scrape_duration_seconds', 'histogram', '', GENERAL]];

const CONVENTIONAL: readonly Row[] = [
  ['gen_ai_server_request_duration_seconds', 'histogram', GEN_AI, GEN_AI_DURATION],
  ['gen_ai_server_time_to_first_token_seconds', 'histogram', GEN_AI, GEN_AI_FIRST],
  ['gen_ai_server_time_per_output_token_seconds', 'histogram', GEN_AI, GEN_AI_TOKEN],
];

const EXPECTED: readonly Row[] = [
  ...[...UPSTREAM, ...ADDED, ...SCRAPE].map(([name, ...rest]): Row => [`llm_d_coordinator_${name}`, ...rest]),
  ...CONVENTIONAL,
];

const catalogue: readonly MetricSpec[] = Object.values(METRICS);

describe('METRICS', () => {
  it.each(EXPECTED)('has %s, a %s by %j', (name, type, labels, buckets) => {
    const spec = catalogue.find((metric) => metric.name === name);
    expect(spec?.type).toBe(type);
    expect(spec?.labels.join(' ')).toBe(labels);
    expect(spec?.buckets?.join(' ') ?? '').toBe(buckets);
  });

  it('has nothing else', () => {
    expect(catalogue.map(({ name }) => name).toSorted()).toEqual(EXPECTED.map(([name]) => name).toSorted());
  });

  it.each(catalogue.map(({ name, help }) => [name, help]))('%s says what it is, in a sentence', (_name, help) => {
    expect(help).toMatch(/^[A-Z0-9].*\.$/);
  });

  it.each(catalogue.filter(({ type }) => type === 'histogram'))('$name has borders that grow', ({ buckets = [] }) => {
    expect(buckets.every((border, index) => index === 0 || border > (buckets[index - 1] ?? Infinity))).toBe(true);
  });
});
