import { jsonString } from './json-rope.ts';
import type { Rope } from './json-rope.ts';
import type { Splice } from './json-splice.ts';
import type { JsonValue } from './json-value.ts';

/**
 * The splices that give a nested object one member: its last occurrence gets the value, earlier ones go, and where there is
 * none the member is added at the end (`decisions.md` B2, B6). The object's other bytes stay.
 */
export function memberSplices(object: JsonValue, key: string, value: Rope): readonly Splice[] {
  const members = object.members();
  const places = members.flatMap((member, index) => (member.key === key ? [index] : []));
  const last = members[places.at(-1) ?? -1];
  if (last === undefined) {
    const close = object.end - 1;
    const name = Buffer.from(`${members.length === 0 ? '' : ','}${jsonString(key)}:`);
    return [{ start: close, end: close, insert: [name, ...value] }];
  }
  const removed = places.slice(0, -1).flatMap((place): Splice[] => {
    const start = members[place]?.keyStart;
    const end = members[place + 1]?.keyStart;
    return start === undefined || end === undefined ? [] : [{ start, end, insert: [] }];
  });
  return [...removed, { start: last.valueStart, end: last.valueEnd, insert: value }];
}
