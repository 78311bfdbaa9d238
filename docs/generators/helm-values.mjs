import { isMap, isScalar, isSeq, parseDocument } from 'yaml';

const MARK = '@schema';

/**
 * What a chart's values.yaml says about its values: a tree of `{key, path, about, schema, value, children}`. The comment above a key is
 * what it is about; JSON behind `@schema` in it is more of its schema. A key whose schema has a `$ref`, `items` or `additionalProperties`
 * has no children: what stands below it is a default.
 * @throws Error for a top-level key without a comment, and for `@schema` without JSON
 */
export function valuesOf(text) {
  const { contents } = parseDocument(text);
  const values = childrenOf(contents, []);
  const silent = values.filter(({ about }) => about === '').map(({ path }) => path);
  if (silent.length > 0) throw new Error(`values.yaml does not say what this is: ${silent.join(', ')}`);
  return values;
}

/** As JSON Schema: nothing else may be set. */
export function schemaOfValues(values) {
  const properties = Object.fromEntries(values.map((value) => [value.key, schemaOf(value)]));
  return { type: 'object', properties, additionalProperties: false };
}

function schemaOf({ about, schema, children, type }) {
  const described = about === '' ? {} : { description: about };
  if (children !== undefined) return { ...described, ...schemaOfValues(children), ...schema };
  return schema.$ref === undefined ? { ...described, type, ...schema } : schema;
}

function childrenOf(map, above) {
  return map.items.map((pair, index) => {
    // the comment of the first key stands at the map
    const comment = pair.key.commentBefore ?? (index === 0 ? map.commentBefore : undefined) ?? '';
    // what is above an empty line is about something else
    return valueOf(pair, comment.split(/\n\s*\n/).at(-1), [...above, pair.key.value]);
  });
}

function valueOf({ key, value: node }, comment, path) {
  const { about, schema } = partsOf(comment, path);
  const isWhole = ['$ref', 'items', 'additionalProperties'].some((word) => word in schema);
  const children = isMap(node) && node.items.length > 0 && !isWhole ? childrenOf(node, path) : undefined;
  return { key: key.value, path: path.join('.'), about, schema, value: node.toJSON(), children, type: typeOf(node) };
}

function partsOf(comment, path) {
  const [about = '', json] = comment.replaceAll(/\s+/g, ' ').split(MARK);
  try {
    return { about: about.trim(), schema: json === undefined ? {} : JSON.parse(json) };
  } catch (error) {
    throw new Error(`${path.join('.')}: ${error.message}`, { cause: error });
  }
}

function typeOf(node) {
  if (isSeq(node)) return 'array';
  if (isMap(node)) return 'object';
  if (!isScalar(node)) throw new Error('values are maps, lists and scalars');
  return typeof node.value === 'number' ? 'integer' : typeof node.value;
}
