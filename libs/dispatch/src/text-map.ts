import type { JsonValue } from '#json';

/** A JSON object whose values are texts; empty where there is none, undefined for what is something else. */
export function textMap(value: JsonValue | undefined): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value.isNull) return {};
  if (value.kind !== 'object') return undefined;
  const entries: [string, string][] = [];
  for (const member of value.members()) {
    const text = value.at(member).string;
    if (text === undefined) return undefined;
    entries.push([member.key, text]);
  }
  return Object.fromEntries(entries);
}
