import type { z } from 'zod';

export type AnySchema = z.core.$ZodType;
export type SchemaDef = z.core.$ZodTypes['_zod']['def'];
export type ObjectDef = z.core.$ZodObjectDef;

/** The definition as a union that `switch (def.type)` narrows. */
export function defOf(schema: AnySchema): SchemaDef {
  // Every schema made by zod is one of $ZodTypes; its base type only does not say so.
  return (schema as z.core.$ZodTypes)._zod.def;
}

/** The schema of what is written in the file: without defaults and the like, and before any transformation. */
export function unwrap(schema: AnySchema): AnySchema {
  const def = defOf(schema);
  if ('innerType' in def) return unwrap(def.innerType);
  if (def.type === 'pipe') return unwrap(isPreprocess(def) ? def.out : def.in);
  return def.type === 'lazy' ? unwrap(def.getter()) : schema;
}

/** True for `z.preprocess`, whose input says nothing about what is expected. */
export function isPreprocess(def: z.core.$ZodPipeDef): boolean {
  return defOf(def.in).type === 'transform';
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The options of a union, with those of unions inside it. */
export function optionsOf(def: z.core.$ZodUnionDef): AnySchema[] {
  return def.options.flatMap((option) => {
    const inner = unwrap(option);
    const innerDef = defOf(inner);
    return innerDef.type === 'union' ? optionsOf(innerDef) : [inner];
  });
}

/**
 * The one option of a union that `value` is meant as, judged by its discriminator or by fields with a fixed value;
 * undefined when none or several fit.
 */
export function chooseOption(def: z.core.$ZodUnionDef, value: unknown): AnySchema | undefined {
  // Only a discriminated union has the field, and the type of its definition is not told apart by `type`.
  const { discriminator } = def as Partial<z.core.$ZodDiscriminatedUnionDef>;
  const fitting = optionsOf(def).filter((option) => fits(option, value, discriminator));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** `value[key]`, whatever the case of the key. */
export function valueOf(value: Record<string, unknown>, key: string): unknown {
  if (Object.hasOwn(value, key)) return value[key];
  const spelling = Object.keys(value).find((name) => name.toLowerCase() === key.toLowerCase());
  return spelling === undefined ? undefined : value[spelling];
}

function fits(option: AnySchema, value: unknown, discriminator: string | undefined): boolean {
  const def = defOf(option);
  if (Array.isArray(value)) return def.type === 'array' || def.type === 'tuple';
  if (!isMap(value)) return false;
  if (def.type === 'record') return discriminator === undefined;
  if (def.type !== 'object') return false;
  const fixed = discriminator === undefined ? fixedFields(def) : [discriminator];
  return fixed.every((key) => {
    const values = def.shape[key]?._zod.values;
    // The set holds primitives; anything else is simply not in it.
    return values === undefined || values.has(valueOf(value, key) as z.core.util.Primitive);
  });
}

function fixedFields(def: ObjectDef): string[] {
  return Object.entries(def.shape)
    .filter(([, field]) => defOf(unwrap(field)).type === 'literal')
    .map(([key]) => key);
}
