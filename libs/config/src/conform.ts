import type { z } from 'zod';
import { nearest } from './nearest.ts';
import type { AnySchema, ObjectDef } from './schema-walk.ts';
import { chooseOption, defOf, isMap, optionsOf, unwrap } from './schema-walk.ts';

/** A problem whose path is not text yet. */
export interface Finding {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * A copy of `value` with the keys spelled as the schema spells them and without those it does not know, each of which
 * is added to `findings`. A key without a value (`params:`) is left out. Values themselves are not judged.
 *
 * It stands before zod's own check, which leaves refinements out once it has met an unknown key: so every problem is
 * found in one go. Maps of free keys (`z.record`) keep them as they are; a loose object keeps what it does not know.
 */
export function conform(
  schema: AnySchema,
  value: unknown,
  findings: Finding[],
  path: readonly PropertyKey[] = [],
): unknown {
  const def = defOf(unwrap(schema));
  if (def.type === 'union') return conformUnion(def, value, findings, path);
  if (def.type === 'array' && Array.isArray(value)) {
    return value.map((item, index) => conform(def.element, item, findings, [...path, index]));
  }
  if (def.type === 'object' && isMap(value)) return conformObject(def, value, findings, path);
  if (def.type === 'record' && isMap(value)) {
    const entries = Object.entries(value).filter(([, child]) => child !== null);
    return Object.fromEntries(
      entries.map(([key, child]) => [key, conform(def.valueType, child, findings, [...path, key])]),
    );
  }
  return structuredClone(value);
}

/** What to say about a key that `known` does not have. */
export function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  if (meant !== undefined) return `unknown key (did you mean ${meant}?)`;
  if (known.length === 0) return 'unknown key (no keys go here)';
  return known.length > MAX_LISTED ? 'unknown key' : `unknown key (known here: ${known.join(', ')})`;
}

/** More keys than these would bury the message. */
const MAX_LISTED = 12;

function conformObject(
  def: ObjectDef,
  value: Record<string, unknown>,
  findings: Finding[],
  path: readonly PropertyKey[],
): Record<string, unknown> {
  const result = new Map<string, unknown>();
  for (const [written, child] of Object.entries(value)) {
    const { key, field } = fieldOf(def, written);
    if (field === undefined) {
      findings.push({ path: [...path, written], message: unknownKey(written, Object.keys(def.shape)) });
    } else if (result.has(key)) {
      findings.push({ path: [...path, written], message: `is the key ${key} a second time; keep one of them` });
    } else if (child !== null && child !== undefined) {
      result.set(key, conform(field, child, findings, [...path, key]));
    }
  }
  for (const [key, field] of Object.entries(def.shape)) {
    if (!result.has(key) && isRequiredMap(field)) result.set(key, conform(field, {}, findings, [...path, key]));
  }
  return Object.fromEntries(result);
}

/** The key as the schema spells it, and its schema; no schema when the object does not take the key. */
function fieldOf(def: ObjectDef, written: string): { key: string; field: AnySchema | undefined } {
  const key = Object.keys(def.shape).find((name) => name.toLowerCase() === written.toLowerCase());
  if (key !== undefined) return { key, field: def.shape[key] };
  return { key: written, field: isOpen(def.catchall) ? def.catchall : undefined };
}

function conformUnion(
  def: z.core.$ZodUnionDef,
  value: unknown,
  findings: Finding[],
  path: readonly PropertyKey[],
): unknown {
  const option = chooseOption(def, value);
  if (option !== undefined) return conform(option, value, findings, path);
  return isMap(value) ? conformUndecided(optionsOf(def), value, findings, path) : structuredClone(value);
}

/** A map of which it is not clear what it is meant as: only keys that no option knows are unknown. */
function conformUndecided(
  options: readonly AnySchema[],
  value: Record<string, unknown>,
  findings: Finding[],
  path: readonly PropertyKey[],
): unknown {
  const objects = options.map(defOf).filter((def) => def.type === 'object');
  if (objects.length < options.length || objects.some(({ catchall }) => isOpen(catchall)))
    return structuredClone(value);
  const known = [...new Set(objects.flatMap((def) => Object.keys(def.shape)))];
  const entries = Object.entries(value).flatMap(([written, child]) => {
    const key = known.find((name) => name.toLowerCase() === written.toLowerCase());
    if (key === undefined) findings.push({ path: [...path, written], message: unknownKey(written, known) });
    return key === undefined || child === null ? [] : [[key, structuredClone(child)] as const];
  });
  return Object.fromEntries(entries);
}

/** A map that must be there is taken for an empty one, so that its missing keys are named instead of the map. */
function isRequiredMap(field: AnySchema): boolean {
  return field._zod.optin === undefined && defOf(unwrap(field)).type === 'object';
}

function isOpen(catchall: AnySchema | undefined): boolean {
  return catchall !== undefined && defOf(catchall).type !== 'never';
}
