import type { JsonMember } from './json-member.ts';
import { jsonString } from './json-rope.ts';
import type { Rope } from './json-rope.ts';
import type { Splice } from './json-splice.ts';

/** The value a key gets; `undefined` when the key is removed. */
export type Changes = ReadonlyMap<string, Rope | undefined>;

/**
 * The changes of an object's members as splices of its source, in order of place, none overlapping another.
 * A comma goes with the member it stands before, as long as a member is left in front of it.
 * @param addAt where members are added: behind the last one, or behind the brace of an empty object
 */
export function changeSplices(members: readonly JsonMember[], changes: Changes, addAt: number): readonly Splice[] {
  if (changes.size === 0) return [];
  const places = lastPlaces(members, changes);
  const splices: Splice[] = [];
  let isFirst = true;
  for (const [index, member] of members.entries()) {
    if (!changes.has(member.key)) {
      isFirst = false;
      continue;
    }
    const value = places.get(member.key) === index ? changes.get(member.key) : undefined;
    if (value === undefined) {
      splices.push(removal(member, isFirst ? undefined : members[index - 1], members[index + 1]));
    } else {
      splices.push({ start: member.valueStart, end: member.valueEnd, insert: value });
      isFirst = false;
    }
  }
  const insert = addedMembers(changes, places, isFirst);
  if (insert.length > 0) splices.push({ start: addAt, end: addAt, insert });
  return splices;
}

/** Of keys that change alone: an object may have very many members, the changes are few. */
function lastPlaces(members: readonly JsonMember[], changes: Changes): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [index, member] of members.entries()) {
    if (changes.has(member.key)) places.set(member.key, index);
  }
  return places;
}

/** @param previous the member before it, where one before it stays */
function removal(member: JsonMember, previous: JsonMember | undefined, next: JsonMember | undefined): Splice {
  return previous === undefined
    ? { start: member.keyStart, end: next?.keyStart ?? member.valueEnd, insert: [] }
    : { start: previous.valueEnd, end: member.valueEnd, insert: [] };
}

function addedMembers(changes: Changes, places: ReadonlyMap<string, number>, isFirst: boolean): Rope {
  const parts: Buffer[] = [];
  let separator = isFirst ? '' : ',';
  for (const [key, value] of changes) {
    if (value === undefined || places.has(key)) continue;
    parts.push(Buffer.from(`${separator}${jsonString(key)}:`));
    for (const part of value) parts.push(part);
    separator = ',';
  }
  return parts;
}
