import { WireError } from './wire-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** @throws WireError 400 when the bytes are not a JSON object */
export function parseObject(bytes: Buffer): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new WireError('the body is not valid JSON');
  }
  return asObject(value, 'the body');
}

/** @throws WireError 400 naming `what` */
export function asObject(value: unknown, what: string): JsonObject {
  if (!isObject(value)) throw new WireError(`${what} must be an object`);
  return value;
}

/** An absent or null value is an empty list. */
export function asList(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new WireError(`${what} must be an array`);
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object under a name; empty where there is none. */
export function objectAt(parent: JsonObject, name: string): JsonObject {
  const found = parent[name];
  return isObject(found) ? found : {};
}

/** @throws WireError 400 when the value is not an array of non-negative integers */
export function asTokenIds(value: unknown, what: string): readonly number[] {
  const ids = asList(value, what);
  const wrong = ids.findIndex((id) => !Number.isSafeInteger(id) || Number(id) < 0);
  if (wrong >= 0) throw new WireError(`${what}[${wrong}] is not a token id`);
  return ids as readonly number[]; // every element was checked
}
