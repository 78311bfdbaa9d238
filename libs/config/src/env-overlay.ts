import type { z } from 'zod';
import { nearest } from './nearest.ts';
import type { AnySchema } from './schema-walk.ts';
import { defOf, optionsOf, unwrap } from './schema-walk.ts';
import { booleanFrom, listFrom, numberFrom } from './text-values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvOverlay {
  /** Settings that the environment gives, in input form. A text that is not what the key takes stays a text. */
  readonly settings: readonly EnvSetting[];
  /** One line for each variable that begins with the prefix and means nothing here. */
  readonly warnings: readonly string[];
}

export interface EnvSetting {
  readonly variable: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** What `COORDINATOR_SERVER_READ_TIMEOUT` and its like say about keys of `schema` that hold one value or a list of such. */
export function envOverlay(schema: AnySchema, env: Environment, prefix: string): EnvOverlay {
  const leaves = new Map(leavesOf(schema).map((leaf) => [variableOf(prefix, leaf.path), leaf]));
  const settings: EnvSetting[] = [];
  const warnings: string[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || !variable.startsWith(`${prefix}_`)) continue;
    const leaf = leaves.get(variable);
    if (leaf === undefined) warnings.push(...unknownVariable(variable, prefix, leaves.keys()));
    else if (text !== '' || takesEmpty(leaf.schema)) {
      settings.push({ variable, path: leaf.path, value: fromText(leaf.schema, text) });
    }
  }
  return { settings, warnings };
}

/** Every key that a variable can set, with its variable: `server.read_timeout` → `COORDINATOR_SERVER_READ_TIMEOUT`. */
export function variablesOf(schema: AnySchema, prefix: string): ReadonlyMap<string, string> {
  return new Map(leavesOf(schema).map(({ path }) => [path.join('.'), variableOf(prefix, path)]));
}

function variableOf(prefix: string, path: readonly string[]): string {
  return [prefix, ...path].join('_').replaceAll(/\W/g, '_').toUpperCase();
}

function leavesOf(schema: AnySchema, path: readonly string[] = [], above: readonly AnySchema[] = []): Leaf[] {
  const inner = unwrap(schema);
  const def = defOf(inner);
  if (def.type !== 'object') return isLeaf(inner) ? [{ path, schema }] : [];
  if (above.includes(inner)) return [];
  return Object.entries(def.shape).flatMap(([key, field]) => leavesOf(field, [...path, key], [...above, inner]));
}

interface Leaf {
  readonly path: readonly string[];
  readonly schema: AnySchema;
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'enum', 'literal', 'template_literal']);

/**
 * What Kubernetes sets for a Service called like the prefix (`COORDINATOR_SERVICE_HOST`,
 * `COORDINATOR_PORT_8080_TCP_ADDR`).
 */
const SERVICE_LINK = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;

function isLeaf(schema: AnySchema): boolean {
  const def = defOf(schema);
  if (def.type === 'array') return isScalar(unwrap(def.element));
  return isScalar(schema);
}

function isScalar(schema: AnySchema): boolean {
  const def = defOf(schema);
  return SCALARS.has(def.type) || (def.type === 'union' && optionsOf(def).every(isScalar));
}

function fromText(schema: AnySchema, text: string): unknown {
  const def = defOf(unwrap(schema));
  switch (def.type) {
    case 'array':
      return listFrom(text).map((item) => fromText(def.element, item));
    case 'string':
    case 'template_literal':
      return text;
    case 'number':
      return numberFrom(text) ?? text;
    case 'boolean':
      return booleanFrom(text) ?? text;
    default:
      return [text, booleanFrom(text), numberFrom(text)].find((value) => accepts(schema, value)) ?? text;
  }
}

/** An empty variable is what a template leaves behind; it is a value only where an empty text is one. */
function takesEmpty(schema: AnySchema): boolean {
  return !['array', 'number', 'boolean'].includes(defOf(unwrap(schema)).type) && accepts(schema, '');
}

function accepts(schema: AnySchema, value: unknown): boolean {
  // Every schema of zod's main entry has safeParse; the base type of its core does not say so.
  return value !== undefined && (schema as z.ZodType).safeParse(value).success;
}

function unknownVariable(variable: string, prefix: string, known: Iterable<string>): string[] {
  const start = prefix.length + 1;
  const meant = nearest(
    variable.slice(start),
    [...known].map((name) => name.slice(start)),
  );
  if (meant !== undefined) return [`${variable} sets nothing (did you mean ${prefix}_${meant}?)`];
  return SERVICE_LINK.test(variable) ? [] : [`${variable} sets nothing`];
}
