/** Bytes from which a value is taken as it stands: to sort it is not worth the time, and the same text still counts as the same. */
const SORTED_BELOW = 128 * 1024;

/** JSON text that is the same for equal values: keys in order, no white space. The bytes are valid JSON. */
export function sortedJson(bytes: Buffer): Buffer {
  if (bytes.length > SORTED_BELOW) return bytes;
  const value: unknown = JSON.parse(bytes.toString('utf8'));
  return Buffer.from(JSON.stringify(sorted(value)));
}

/** As deep as the body may be nested, which the parser limits. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, sorted(item)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
