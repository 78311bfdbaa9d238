import { JsonSyntaxError, JsonValue } from '#json';

/** Token counts that a worker gave; what it did not give is undefined, never zero. */
export interface Usage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedTokens: number | undefined;
}

const KEY = Buffer.from('"usage"');

/** Whether the JSON text may hold a usage object: the key is there, and its value is not null. A quote inside a string is escaped, so the key is one. */
export function mayHoldUsage(json: Buffer): boolean {
  const key = json.indexOf(KEY);
  return key !== -1 && !json.subarray(key + KEY.length, key + KEY.length + 8).toString('latin1').includes('null');
}

/**
 * The usage of an answer, or of one event: at the top, or in `response` as the responses API has it. Both the chat names and the
 * responses names are read.
 */
export function readUsage(json: Buffer): Usage | undefined {
  try {
    const value = JsonValue.read(json);
    const usage = value.member('usage') ?? value.member('response')?.member('usage');
    if (usage?.kind !== 'object') return undefined;
    const details = usage.member('prompt_tokens_details') ?? usage.member('input_tokens_details');
    return {
      inputTokens: (usage.member('prompt_tokens') ?? usage.member('input_tokens'))?.number,
      outputTokens: (usage.member('completion_tokens') ?? usage.member('output_tokens'))?.number,
      cachedTokens: details?.kind === 'object' ? details.member('cached_tokens')?.number : undefined,
    };
  } catch (error) {
    // a worker's answer may be anything; what cannot be read is unknown
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
