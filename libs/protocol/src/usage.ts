import { JsonSyntaxError, JsonValue } from '#json';

/** Token counts that a worker gave; what it did not give is undefined, never zero. */
export interface Usage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedTokens: number | undefined;
}

/**
 * The usage of an answer, or of one event: at the top, or in `response` as the responses API has it. Both the chat names and the
 * responses names are read.
 */
export function readUsage(json: Buffer): Usage | undefined {
  try {
    const value = JsonValue.read(json);
    const own = value.member('usage');
    const usage = own?.kind === 'object' ? own : value.member('response')?.member('usage');
    return usage?.kind === 'object' ? usageOf(usage) : undefined;
  } catch (error) {
    // a worker's answer may be anything; what cannot be read is unknown
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function usageOf(usage: JsonValue): Usage {
  const details = usage.member('prompt_tokens_details') ?? usage.member('input_tokens_details');
  return {
    inputTokens: countOf(usage.member('prompt_tokens') ?? usage.member('input_tokens')),
    outputTokens: countOf(usage.member('completion_tokens') ?? usage.member('output_tokens')),
    cachedTokens: details?.kind === 'object' ? countOf(details.member('cached_tokens')) : undefined,
  };
}

/** A number that can be one of tokens: any other would spoil a sum for ever. */
function countOf(value: JsonValue | undefined): number | undefined {
  const number = value?.number;
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
