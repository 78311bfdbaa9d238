import { BadRequestError } from '#foundation';
import { TokenArray, TokenArrayError } from '#json';
import type { JsonObject, JsonValue } from '#json';
import { FeaturesError, readFeatures } from '#protocol';
import type { Features } from '#protocol';

/**
 * The tokens of a completions prompt that is already an array of them; undefined for a text, which render has to tokenize.
 * @throws BadRequestError for a batch, a prompt of another kind, or none
 * @see coordinator.md C.3
 */
export function promptTokens(body: JsonObject): TokenArray | undefined {
  const prompt = body.get('prompt');
  if (prompt?.kind === 'string') return undefined;
  if (prompt?.kind !== 'array') {
    throw new BadRequestError('invalid_value', 'prompt must be a string or an array of token ids', { param: 'prompt' });
  }
  const kind = firstKind(prompt);
  if (kind === 'string' || kind === 'array') {
    throw new BadRequestError('batched_prompt', 'batched prompts are not supported', { param: 'prompt' });
  }
  return scanned(prompt, 'prompt');
}

/** The tokens and features of a generate request. @throws BadRequestError */
export function generateTokens(body: JsonObject): { tokens: TokenArray; features: Features | undefined } {
  const tokenIds = body.get('token_ids');
  if (tokenIds === undefined) {
    throw new BadRequestError('invalid_value', 'token_ids is required', { param: 'token_ids' });
  }
  const tokens = scanned(tokenIds, 'token_ids');
  if (tokens.count === 0) throw new BadRequestError('invalid_value', 'token_ids is empty', { param: 'token_ids' });
  checkSamplingParams(body.get('sampling_params'));
  return { tokens, features: featuresOf(body, tokens.count) };
}

function firstKind(list: JsonValue): string | undefined {
  const first = list.items().next();
  return first.done === true ? undefined : first.value.kind;
}

function scanned(value: JsonValue, param: string): TokenArray {
  try {
    return TokenArray.scan(value.source, value.start);
  } catch (error) {
    if (!(error instanceof TokenArrayError)) throw error;
    const place = error.index === -1 ? param : `${param}[${error.index}]`;
    const what = error.index === -1 ? 'an array of token ids' : 'a non-negative integer';
    throw new BadRequestError('invalid_value', `${place} must be ${what}`, { param: place });
  }
}

function checkSamplingParams(sampling: JsonValue | undefined): void {
  if (sampling === undefined || sampling.isNull) return;
  requireObject(sampling, 'sampling_params');
  const extra = sampling.member('extra_args');
  if (extra !== undefined && !extra.isNull) requireObject(extra, 'sampling_params.extra_args');
}

function requireObject(value: JsonValue, param: string): void {
  if (value.kind !== 'object') throw new BadRequestError('invalid_value', `${param} must be an object`, { param });
}

function featuresOf(body: JsonObject, tokenCount: number): Features | undefined {
  try {
    return readFeatures(body.get('features'), tokenCount);
  } catch (error) {
    if (error instanceof FeaturesError)
      throw new BadRequestError('invalid_value', error.message, { param: 'features' });
    throw error;
  }
}
