import { z } from 'zod';
import { written } from './effective-tree.ts';

/** JSON Schema (draft 2020-12) of what may be written in the file, with descriptions and defaults, for editors and docs. */
export function jsonSchemaOf(schema: z.ZodType, names: { title: string; id?: string }): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === 'object' && def.catchall === undefined) jsonSchema.additionalProperties = false;
      if (def.type === 'default') jsonSchema.default = structuredClone(written(def.innerType, def.defaultValue));
      if (def.type === 'number') dropSafeIntegerBounds(jsonSchema);
    },
  });
  return { $schema, ...(names.id === undefined ? {} : { $id: names.id }), title: names.title, ...rest };
}

/** zod adds the bounds of exact integers, which say nothing about the setting. */
function dropSafeIntegerBounds(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
