import type { JsonObject } from '#json';

/**
 * Why a request must be prefilled where it is decoded, whatever the connector: log probabilities of the prompt are made by the
 * prefill, and a decode that gets the prompt as KV blocks has none.
 */
export function bypassReason(body: JsonObject): string | undefined {
  if (isAsked(body, 'prompt_logprobs')) return 'prompt_logprobs';
  return body.get('echo')?.isTrue === true && isAsked(body, 'logprobs') ? 'echo_logprobs' : undefined;
}

function isAsked(body: JsonObject, field: string): boolean {
  const value = body.get(field);
  return value !== undefined && !value.isNull;
}
