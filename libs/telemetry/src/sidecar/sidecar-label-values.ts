import type { DisaggType, Stage } from '#disaggregation';

/** The closed sets that label values of a decode sidecar come from; no value is one that a client chooses. */

/** What the limits of an answer are called by, and what is not driven through stages. */
export const API_TYPES = ['chat_completions', 'responses', 'generate', 'passthrough'] as const;

/** The stages that ran apart from the engine beside; `decode-only` has none. */
export const DISAGG_TYPES = [
  'decode-only',
  'prefill-decode',
  'encode-decode',
  'encode-prefill-decode',
] as const satisfies DisaggType[];

export const STAGES = ['encode', 'prefill', 'decode'] as const satisfies Stage[];

/** Why a stage failed. One that is called off because another has failed is no failure, and no value here. */
export const STAGE_FAILURES = [
  'status_3xx',
  'status_4xx',
  'status_5xx',
  'refused',
  'reset',
  'timeout',
  'invalid_answer',
  'malformed_target',
  'bad_request',
  'client_closed',
  'drained',
] as const;

/** Why a stage that was asked for did not run, or ran for nothing. */
export const SKIP_REASONS = [
  'denied',
  'malformed_target',
  'no_media_items',
  'prompt_logprobs',
  'echo_logprobs',
  'no_room_fields',
  'several_sequences',
  'batched_prompt',
  'no_kv_params',
  'kv_params_not_object',
] as const;

/** What the header names that a worker was denied from. */
export const DENIED_ROLES = ['prefill', 'encode', 'kv_cache_source'] as const;
export type DeniedRole = (typeof DENIED_ROLES)[number];
