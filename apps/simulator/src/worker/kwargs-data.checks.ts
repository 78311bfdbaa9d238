import { unpack } from 'msgpackr';
import { asList, isObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import type { PlacedItem } from '../render/rendered-prompt.ts';

/**
 * Whether each item has processor output, in the order of `items`; a null or absent one is to come from the worker's cache.
 * @throws WireError 400 when one is neither null nor msgpack that fits its item, or the lists differ in length
 */
export function kwargsPresent(features: unknown, items: readonly PlacedItem[]): boolean[] {
  const data = isObject(features) ? features['kwargs_data'] : undefined;
  const seen = new Map<string, number>();
  return items.map((item) => {
    const index = seen.get(item.modality) ?? 0;
    seen.set(item.modality, index + 1);
    const where = `features.kwargs_data.${item.modality}`;
    const list = asList(isObject(data) ? data[item.modality] : undefined, where);
    const expected = items.filter(({ modality }) => modality === item.modality).length;
    if (list.length > 0 && list.length !== expected)
      throw new WireError(`${where} has ${list.length} entries for ${expected} items`);
    const entry = list[index] ?? undefined;
    if (entry === undefined) return false;
    requireKwargs(entry, item, `${where}[${index}]`);
    return true;
  });
}

function requireKwargs(entry: unknown, item: PlacedItem, where: string): void {
  if (typeof entry !== 'string' || entry === '') throw new WireError(`${where} must be base64 text or null`);
  const tokens = gridTokens(decode(entry));
  if (tokens === undefined) throw new WireError(`${where} is not msgpack of processor output`);
  if (tokens !== item.length) throw new WireError(`${where} is of an item of ${tokens} tokens, not ${item.length}`);
}

function decode(base64: string): unknown {
  try {
    return unpack(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}

function gridTokens(kwargs: unknown): number | undefined {
  if (!isObject(kwargs)) return undefined;
  const grid = Object.entries(kwargs).find(([key]) => key.endsWith('_grid_thw'))?.[1];
  const first: unknown = Array.isArray(grid) ? grid[0] : undefined;
  return Array.isArray(first) ? first.reduce<number>((product, side) => product * Number(side), 1) : undefined;
}
