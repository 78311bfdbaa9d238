import type { JsonObject, JsonValue } from '#json';

/**
 * Why a request must be prefilled where it is decoded, whatever the connector: log probabilities of the prompt are made by the
 * prefill, and a decode that gets the prompt as KV blocks has none.
 */
export function bypassReason(body: JsonObject): string | undefined {
  // generate has it among its sampling parameters
  const ofPrompt = [body.get('prompt_logprobs'), body.get('sampling_params')?.member('prompt_logprobs')];
  if (ofPrompt.some(isAsked)) return 'prompt_logprobs';
  return body.get('echo')?.isTrue === true && isAsked(body.get('logprobs')) ? 'echo_logprobs' : undefined;
}

function isAsked(value: JsonValue | undefined): boolean {
  return value !== undefined && !value.isNull;
}
