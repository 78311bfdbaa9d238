import type { JsonObject, JsonValue } from '#json';

/** Fields that make an answer one whole: a second call for its rest would begin anew (grammars), or its parts could not be put together. */
const WHOLE = ['logprobs', 'echo', 'use_beam_search', 'continue_final_message', 'structured_outputs'];
const GUIDED = 'guided_';

/**
 * Whether the answer to a chat request can be made of several calls, of which each goes on with the text of those before. It cannot where
 * there are several choices, tools to call, log probabilities, or a form that the answer has to keep to.
 */
export function isContinuable(body: JsonObject): boolean {
  const isAlone = (body.get('n')?.number ?? 1) <= 1;
  return isAlone && !hasItems(body.get('tools')) && !hasItems(body.get('functions')) && !hasForm(body);
}

function hasForm(body: JsonObject): boolean {
  const format = body.get('response_format');
  if (format?.kind === 'object' && format.member('type')?.string !== 'text') return true;
  const guided = body.keys().filter((key) => key.startsWith(GUIDED));
  return [...WHOLE, ...guided].some((field) => isAsked(body.get(field)));
}

/** Tokens that the answer may have: the first positive of two fields; Infinity where there is none (`sidecar.md` 6). */
export function tokenBudget(body: JsonObject): number {
  const limits = ['max_completion_tokens', 'max_tokens'].map((field) => body.get(field)?.number ?? 0);
  return limits.find((limit) => limit > 0) ?? Infinity;
}

function isAsked(value: JsonValue | undefined): boolean {
  return value !== undefined && !value.isNull && value.bytes.toString('latin1') !== 'false';
}

function hasItems(value: JsonValue | undefined): boolean {
  return value?.items().next().done === false;
}
