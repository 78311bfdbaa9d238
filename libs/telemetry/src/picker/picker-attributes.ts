/** Span attributes of the endpoint picker that no convention names. */
export const PICKER_ATTRIBUTES = {
  requestId: 'llm_d.epp.request_id',
  outcome: 'llm_d.epp.outcome',
  profile: 'llm_d.epp.profile',
  endpoint: 'llm_d.epp.endpoint',
} as const;
