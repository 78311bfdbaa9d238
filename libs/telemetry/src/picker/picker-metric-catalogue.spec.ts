import { describe, expect, it } from '@jest/globals';
import { PICKER_METRICS } from './picker-metric-catalogue.ts';

const M = 'model_name target_model_name fairness_id priority';
const S = '0.0001 0.0002 0.0005 0.001 0.002 0.005 0.01 0.02 0.05 0.1';
const FLOW = 'endpoint_name namespace producer_name fairness_id priority';

/** `epp.md` 8.4 without flow control: name, type, labels. */
const SPECIFIED: readonly (readonly [name: string, type: string, labels: string])[] = [
  ['request_total', 'counter', M],
  ['request_error_total', 'counter', `${M} error_code`],
  ['request_duration_seconds', 'histogram', M],
  ['request_size_bytes', 'histogram', M],
  ['response_size_bytes', 'histogram', M],
  ['request_input_tokens', 'histogram', M],
  ['request_cached_tokens', 'histogram', M],
  ['request_output_tokens', 'histogram', M],
  ['request_running', 'gauge', M],
  ['request_ntpot_seconds', 'histogram', M],
  ['request_ttft_seconds', 'histogram', `${M} streaming`],
  ['request_streaming_tpot_seconds', 'histogram', M],
  ['request_streaming_itl_seconds', 'histogram', M],
  ['average_kv_cache_utilization', 'gauge', 'name'],
  ['std_dev_kv_cache_utilization', 'gauge', 'name'],
  ['average_queue_size', 'gauge', 'name'],
  ['std_dev_queue_size', 'gauge', 'name'],
  ['average_running_requests', 'gauge', 'name'],
  ['std_dev_running_requests', 'gauge', 'name'],
  ['ready_endpoints', 'gauge', 'name'],
  ['per_endpoint_queue_size', 'gauge', 'name model_server_endpoint'],
  ['scheduler_e2e_duration_seconds', 'histogram', ''],
  ['scheduler_attempts_total', 'counter', 'status target_model_name endpoint_name namespace port'],
  ['plugin_duration_seconds', 'histogram', 'extension_point plugin_type plugin_name'],
  ['request_processing_duration_seconds', 'histogram', ''],
  ['response_processing_duration_seconds', 'histogram', ''],
  ['info', 'gauge', 'commit build_ref'],
  ['model_rewrite_decisions_total', 'counter', 'model_rewrite_name model_name target_model'],
  ['datalayer_poll_errors_total', 'counter', 'source_type'],
  ['datalayer_extract_errors_total', 'counter', 'source_type extractor_type'],
  ['prefix_indexer_size', 'gauge', 'plugin_name plugin_type'],
  ['prefix_indexer_hit_ratio', 'histogram', 'plugin_name plugin_type'],
  ['prefix_indexer_hit_bytes', 'histogram', 'plugin_name plugin_type'],
  ['disagg_decision_total', 'counter', 'plugin_name plugin_type model_name decision_type'],
  ['inflight_requests', 'gauge', FLOW],
  ['inflight_tokens', 'gauge', FLOW],
  ['extproc_streams_inflight', 'gauge', ''],
  ['extproc_stream_duration_seconds', 'histogram', ''],
  ['extproc_streams_total', 'counter', 'code'],
];

describe('PICKER_METRICS', () => {
  it('are those of epp.md 8.4, and no others', () => {
    const own = Object.values(PICKER_METRICS).map(({ name, type, labels }) => [name, type, labels.join(' ')]);
    const specified = SPECIFIED.map(([name, type, labels]) => [`llm_d_epp_${name}`, type, labels]);
    expect(own).toEqual(specified);
  });

  it.each(['schedulerDuration', 'pluginDuration'] as const)('%s has the borders of scheduling', (key) => {
    expect(PICKER_METRICS[key].buckets.join(' ')).toBe(S);
  });
});
