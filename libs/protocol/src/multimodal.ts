import { JsonObject } from '#json';
import type { JsonValue } from '#json';

/** Multimodal items of one request; beyond any prompt, it bounds what a request can make the process keep. */
export const MAX_ENTRIES = 10_000;

/** One multimodal item of a prompt, as render or a generate client describes it. Everything is carried as its own bytes. */
export interface MultimodalEntry {
  readonly modality: string;
  /** Position among the entries of its modality, 0-based. */
  readonly index: number;
  /** The hash as text, to compare with. */
  readonly hash: string;
  /** The hash as JSON. */
  readonly hashBytes: Buffer;
  /** The whole placeholder object, keys unknown here included. */
  readonly placeholder: JsonValue;
  /** First token of the item in the prompt, 0-based. */
  readonly offset: number;
  /** Tokens the item stands for; `offset + length` never exceeds the prompt. */
  readonly length: number;
  /** Preprocessor output as a JSON string, or undefined: the worker resolves it from its cache by hash. */
  readonly kwargs: Buffer | undefined;
  /** Whether `kwargs_data` has a list for the modality, be its items null. */
  readonly hasKwargsList: boolean;
}

/** The multimodal side of a prompt: the lists as they came, and the entries in them. */
export interface Features {
  /** `mm_hashes` as it came. */
  readonly hashes: Buffer;
  /** `mm_placeholders` as it came. */
  readonly placeholders: Buffer;
  /** `kwargs_data` as it came, where there is one. */
  readonly kwargs: Buffer | undefined;
  /** Modalities in the order of `mm_hashes`, their entries in list order. */
  readonly entries: readonly MultimodalEntry[];
}

/** What is wrong with a features object, in words that hold no content. */
export class FeaturesError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FeaturesError';
  }
}

/**
 * Reads `features`: `{mm_hashes, mm_placeholders, kwargs_data}`, each an object of lists by modality.
 * @param tokenCount tokens of the prompt, which every placeholder must lie in
 * @returns undefined when there is nothing multimodal: absent, null, or no hashes
 * @throws FeaturesError
 * @see coordinator.md C.3, "Generate validation"
 */
export function readFeatures(features: JsonValue | undefined, tokenCount: number): Features | undefined {
  if (features === undefined || features.isNull) return undefined;
  if (features.kind !== 'object') throw new FeaturesError('features is not an object');
  const object = JsonObject.of(features.bytes);
  const hashes = listsOf(object, 'mm_hashes');
  const placeholders = listsOf(object, 'mm_placeholders');
  const kwargs = listsOf(object, 'kwargs_data');
  for (const modality of [...placeholders.lists.keys(), ...kwargs.lists.keys()]) {
    if (!hashes.lists.has(modality)) throw new FeaturesError('features has a modality without mm_hashes');
  }
  const entries = [...hashes.lists].flatMap(([modality, list]) =>
    modalityEntries(modality, list, placeholders.lists.get(modality), kwargs.lists.get(modality), tokenCount),
  );
  if (entries.length === 0 || hashes.bytes === undefined || placeholders.bytes === undefined) return undefined;
  return { hashes: hashes.bytes, placeholders: placeholders.bytes, kwargs: kwargs.bytes, entries };
}

interface Lists {
  readonly bytes: Buffer | undefined;
  readonly lists: ReadonlyMap<string, readonly JsonValue[]>;
}

function listsOf(features: JsonObject, key: string): Lists {
  const value = features.get(key);
  if (value === undefined || value.isNull) return { bytes: undefined, lists: new Map() };
  if (value.kind !== 'object') throw new FeaturesError(`features.${key} is not an object`);
  const lists = new Map<string, readonly JsonValue[]>();
  for (const member of value.members()) {
    const list = value.at(member);
    if (member.key === '') throw new FeaturesError(`features.${key} has an empty modality`);
    if (list.isNull) continue;
    if (list.kind !== 'array') throw new FeaturesError(`features.${key} holds something other than lists`);
    lists.set(member.key, bounded(list));
  }
  return { bytes: value.bytes, lists };
}

function bounded(list: JsonValue): readonly JsonValue[] {
  const items: JsonValue[] = [];
  for (const item of list.items()) {
    if (items.length === MAX_ENTRIES) throw new FeaturesError(`features has more than ${MAX_ENTRIES} entries`);
    items.push(item);
  }
  return items;
}

function modalityEntries(
  modality: string,
  hashes: readonly JsonValue[],
  placeholders: readonly JsonValue[] | undefined,
  kwargs: readonly JsonValue[] | undefined,
  tokenCount: number,
): MultimodalEntry[] {
  if (hashes.length !== (placeholders?.length ?? 0)) {
    throw new FeaturesError('features.mm_placeholders does not match mm_hashes');
  }
  if (kwargs !== undefined && kwargs.length !== hashes.length) {
    throw new FeaturesError('features.kwargs_data does not match mm_hashes');
  }
  return hashes.map((hash, index) => {
    const text = hash.string;
    if (text === undefined) throw new FeaturesError(`features.mm_hashes[${index}] is not a string`);
    const placeholder = placeholders?.[index];
    const span = spanOf(placeholder, index, tokenCount);
    const own = { kwargs: kwargsOf(kwargs?.[index], index), hasKwargsList: kwargs !== undefined };
    return { modality, index, hash: text, hashBytes: hash.bytes, ...span, ...own };
  });
}

function spanOf(
  placeholder: JsonValue | undefined,
  index: number,
  tokenCount: number,
): { placeholder: JsonValue; offset: number; length: number } {
  const offset = placeholder?.member('offset')?.number;
  const length = placeholder?.member('length')?.number;
  if (placeholder === undefined || !isIndex(offset) || !isIndex(length)) {
    throw new FeaturesError(`features.mm_placeholders[${index}] has no usable offset and length`);
  }
  if (offset >= tokenCount || length > tokenCount - offset) {
    throw new FeaturesError(`features.mm_placeholders[${index}] lies outside the prompt`);
  }
  return { placeholder, offset, length };
}

function isIndex(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}

function kwargsOf(value: JsonValue | undefined, index: number): Buffer | undefined {
  if (value === undefined || value.isNull) return undefined;
  if (value.kind !== 'string') throw new FeaturesError(`features.kwargs_data[${index}] is neither a string nor null`);
  return value.bytes;
}
