/**
 * Whether a `Prefer` header asks for `preference` (RFC 7240): a comma-separated list, names in any case, each with an optional value and
 * parameters. A value that happens to spell the name does not count, quoted or not.
 */
export function prefers(header: string | readonly string[] | undefined, preference: string): boolean {
  const text = typeof header === 'string' ? header : (header ?? []).join(',');
  const unquoted = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return unquoted.split(',').some((item) => {
    const name = item.split(/[;=]/, 1)[0] ?? '';
    return name.trim().toLowerCase() === preference;
  });
}
