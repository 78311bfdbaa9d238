/** Attributes that the tree shows, by what they are; a test compares the names with the coordinator's. */
export const SHOWN = {
  requestId: 'llm_d.coordinator.request_id',
  status: 'http.response.status_code',
  outcome: 'llm_d.coordinator.outcome',
  executionPath: 'llm_d.coordinator.pipeline.execution_path',
  resend: 'http.request.resend_count',
  encodeIndex: 'llm_d.coordinator.encode.index',
  encodeWidth: 'llm_d.coordinator.encode.width',
  mediaIndex: 'llm_d.coordinator.media.index',
  mediaBytes: 'llm_d.coordinator.media.bytes',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
} as const;

/** What the tree shows of the endpoint picker's spans. */
export const PICKED = { endpoint: 'llm_d.epp.endpoint' } as const;

/** And of the decode sidecar's. */
export const SIDECAR = {
  disaggType: 'llm_d.pd_proxy.disagg_type',
  reason: 'llm_d.pd_proxy.reason',
  trueTtft: 'llm_d.pd_proxy.true_ttft_ms',
  encodeIndex: 'llm_d.ec_proxy.item.index',
  encodeWidth: 'llm_d.ec_proxy.item.count',
} as const;

/** And of the async worker's. */
export const WORKER = {
  attempt: 'llm_d.async_worker.attempt',
  outcome: 'llm_d.async_worker.outcome',
} as const;
