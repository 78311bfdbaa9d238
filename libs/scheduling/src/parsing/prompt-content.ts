import type { JsonValue } from '#json';
import { SchedulingError } from '../scheduling.error.ts';
import type { PromptPiece, TokenizedPrompt } from '../scheduling-request.ts';
import { tokenFeatures } from './token-features.ts';
import { readTokenIds } from './token-ids.ts';
import type { Steps } from './paced.ts';

/** What a body asks about: as token ids, in words, or not at all. */
export interface PromptContent {
  readonly prompts: readonly TokenizedPrompt[];
  readonly words: readonly (readonly PromptPiece[])[];
  readonly hasMedia: boolean;
}

export const NO_CONTENT: PromptContent = { prompts: [], words: [], hasMedia: false };

export function inWords(words: PromptContent['words']): PromptContent {
  return { prompts: [], words, hasMedia: words.some((pieces) => pieces.some(({ kind }) => kind === 'media')) };
}

/** One prompt of a list of ids. @throws SchedulingError with BadRequest */
export function* oneOfIds(list: JsonValue, place: string, features?: JsonValue): Steps<PromptContent> {
  const ids = yield* readTokenIds(list, place);
  const items = tokenFeatures(features, ids.length);
  return { prompts: [{ ids, features: items }], words: [], hasMedia: items.length > 0 };
}

/**
 * The prompts of a list of ids, or of a list of such lists; undefined for a list of anything else.
 * @throws SchedulingError with BadRequest for one that begins as such and is not
 */
export function* listOfIds(list: JsonValue, place: string): Steps<PromptContent | undefined> {
  const first = firstKind(list);
  if (first === 'number') return yield* oneOfIds(list, place);
  if (first !== 'array') return undefined;
  const prompts: TokenizedPrompt[] = [];
  for (const item of list.items()) {
    const ids = yield* readTokenIds(item, `${place}[${prompts.length}]`);
    prompts.push({ ids, features: [] });
    yield;
  }
  return { ...NO_CONTENT, prompts };
}

/** One prompt for each text. @throws SchedulingError with BadRequest for an item that is none */
export function* listOfTexts(list: JsonValue, place: string): Steps<PromptContent> {
  const words: PromptPiece[][] = [];
  for (const value of list.items()) {
    if (value.kind !== 'string')
      throw new SchedulingError('BadRequest', `${place}[${words.length}] is not a string as the others are`);
    words.push([{ kind: 'text', value }]);
    yield;
  }
  return { ...NO_CONTENT, words };
}

function firstKind(list: JsonValue): string | undefined {
  const first = list.items().next();
  return first.done === true ? undefined : first.value.kind;
}
