import type { Attributes } from '@opentelemetry/api';
import type { DisaggFacts } from '#disaggregation';

/** Span attributes of the decode sidecar that OpenTelemetry's conventions do not name; upstream's names (`sidecar.md` 12). */
export const SIDECAR_ATTRIBUTES = {
  requestId: 'llm_d.pd_proxy.request_id',
  apiType: 'llm_d.openai.api',
  kvConnector: 'llm_d.pd_proxy.kv_connector',
  ecConnector: 'llm_d.pd_proxy.ec_connector',
  rank: 'llm_d.pd_proxy.rank',
  outcome: 'llm_d.pd_proxy.outcome',
  disaggregationUsed: 'llm_d.pd_proxy.disaggregation_used',
  disaggType: 'llm_d.pd_proxy.disagg_type',
  reason: 'llm_d.pd_proxy.reason',
  prefillTarget: 'llm_d.pd_proxy.prefill_target',
  prefillCandidates: 'llm_d.pd_proxy.prefill_candidates',
  deniedTarget: 'llm_d.pd_proxy.denied_target',
  kvCacheSource: 'llm_d.pd_proxy.kv_cache_source',
  isSourceDenied: 'llm_d.pd_proxy.kv_cache_source_denied',
  encoderCandidates: 'llm_d.ec_proxy.encoder_candidates',
  encoderAllowed: 'llm_d.ec_proxy.encoder_allowed',
  encodeItems: 'llm_d.ec_proxy.items',
  isConcurrent: 'llm_d.pd_proxy.concurrent_pd',
  decodeTarget: 'llm_d.pd_proxy.decode.target',
  isDataParallel: 'llm_d.pd_proxy.decode.data_parallel',
  prefillRetries: 'llm_d.pd_proxy.prefill.retries',
  cachedTokens: 'llm_d.pd_proxy.prefill.cached_tokens',
  chunkSize: 'llm_d.pd_proxy.chunked_decode.chunk_size',
  chunks: 'llm_d.pd_proxy.chunked_decode.chunks',
  totalTokens: 'llm_d.pd_proxy.chunked_decode.total_tokens',
  stage: 'llm_d.pd_proxy.stage',
  trueTtft: 'llm_d.pd_proxy.true_ttft_ms',
  duration: 'llm_d.pd_proxy.total_duration_ms',
  encodeIndex: 'llm_d.ec_proxy.item.index',
  encodeWidth: 'llm_d.ec_proxy.item.count',
} as const;

/** Facts as attributes; each fact goes by the attribute of its own name. */
export function factAttributes(facts: DisaggFacts): Attributes {
  const attributes: Attributes = {};
  // the entries of facts, which have no other keys
  for (const [fact, value] of Object.entries(facts) as [keyof DisaggFacts, string | number | boolean][]) {
    attributes[SIDECAR_ATTRIBUTES[fact]] = value;
  }
  if (facts.disaggType !== undefined) {
    attributes[SIDECAR_ATTRIBUTES.disaggregationUsed] = facts.disaggType !== 'decode-only';
  }
  return attributes;
}
