import { z } from 'zod';

/** What a JSON Schema says of a map and its keys. */
const mapSchema = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  default: z.unknown().optional(),
});

/** Every key of a JSON Schema that holds no further keys, as `server.read_timeout`, with the default it is written with. */
export function leavesOf(node: unknown, prefix = ''): readonly (readonly [path: string, fallback: unknown])[] {
  const { properties, default: fallback } = mapSchema.parse(node);
  if (properties === undefined) return [[prefix.slice(0, -1), fallback]];
  return Object.entries(properties).flatMap(([key, child]) => leavesOf(child, `${prefix}${key}.`));
}

/** What a tree has at a path such as `server.read_timeout`; undefined where there is nothing. */
export function valueAt(tree: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
      tree,
    );
}
