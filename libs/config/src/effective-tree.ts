import type { z } from 'zod';
import type { AnySchema, SchemaDef } from './schema-walk.ts';
import { chooseOption, defOf, isMap, isPreprocess } from './schema-walk.ts';

/**
 * The configuration in the form it is written in, with every default filled in, keys in the schema's order and values
 * in one spelling (`90s` → `1m30s`): a file with this content has the same effect as `input`.
 * @param input a tree that `schema` accepts, keys spelled as in the schema
 */
export function effectiveTree(schema: AnySchema, input: unknown): unknown {
  const def = defOf(schema);
  if (input === undefined && def.type === 'default') return written(def.innerType, def.defaultValue);
  if (input === undefined && def.type === 'prefault') return effectiveTree(def.innerType, def.defaultValue);
  if ('innerType' in def) return effectiveTree(def.innerType, input);
  if (def.type === 'pipe') return effectivePipe(schema, def, input);
  if (def.type === 'lazy') return input === undefined ? undefined : effectiveTree(def.getter(), input);
  return effectiveContainer(def, input);
}

/** An output value in the form it is written in; as it is where the schema has no way back. */
export function written(schema: AnySchema, output: unknown): unknown {
  try {
    // Every schema of zod's main entry has encode; the base type of its core does not say so.
    return (schema as z.ZodType).encode(output);
  } catch {
    return output;
  }
}

function effectivePipe(schema: AnySchema, def: z.core.$ZodPipeDef, input: unknown): unknown {
  if (isPreprocess(def)) return effectiveTree(def.out, input);
  const given = effectiveTree(def.in, input);
  if (def.reverseTransform === undefined || given === undefined) return given;
  // As above: safeParse is there.
  const parsed = (schema as z.ZodType).safeParse(given);
  return parsed.success ? written(schema, parsed.data) : given;
}

function effectiveContainer(def: SchemaDef, input: unknown): unknown {
  if (def.type === 'array' && Array.isArray(input)) return input.map((item) => effectiveTree(def.element, item));
  if (def.type === 'union') {
    const option = chooseOption(def, input);
    return option === undefined ? input : effectiveTree(option, input);
  }
  if (!isMap(input)) return input;
  if (def.type === 'record') return mapValues(input, (_, child) => effectiveTree(def.valueType, child));
  if (def.type !== 'object') return input;
  const known = mapValues(def.shape, (key, field) => effectiveTree(field, input[key]));
  return { ...known, ...Object.fromEntries(Object.entries(input).filter(([key]) => !Object.hasOwn(def.shape, key))) };
}

function mapValues<In>(map: Readonly<Record<string, In>>, convert: (key: string, value: In) => unknown): object {
  const entries = Object.entries(map).map(([key, value]) => [key, convert(key, value)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
