import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { indexMembers } from './json-index.ts';
import type { JsonMember } from './json-member.ts';
import { JsonObject } from './json-object.ts';
import { rawJson } from './json-rope.ts';
import type { JsonValue } from './json-value.ts';

const KEYS = ['model', 'a', '__proto__', 'constructor', '', 'é', 'tokens'];
const gap = fc.constantFrom('', '', ' ', '\n\t');
const key = fc.constantFrom(...KEYS.map((name) => `"${name}"`), '"mod\\u0065l"', '"\\u0061"', '"\\u00e9"', '"x\\ny"');
const value = fc.oneof(
  fc.constantFrom('1.0', '-0', '9007199254740993', '"\\ud83d"', '"}],\\""', '[ ]', '{ }', '[1 , [2,{"a":[3]}]]'),
  fc.constantFrom('{"a":1, "a":{"b" : [1,2]} }', '[{"u":"x"},{"u":"y"}]', '{"__proto__":{"a":[1]},"\\u0061":[ 0 ]}'),
  fc.json({ maxDepth: 3 }),
);
const object = fc
  .array(fc.tuple(gap, key, gap, gap, value, gap), { maxLength: 7 })
  .map((members) => `{${members.map(([a, k, b, c, v, d]) => `${a}${k}${b}:${c}${v}${d}`).join(',')}}`);

const name = fc.constantFrom(...KEYS, 'new', 'x\ny');
const edit = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key: name, value }),
  fc.record({ kind: fc.constant('remove' as const), key: name }),
  fc.record({ kind: fc.constant('splice' as const), key: name, path: fc.array(fc.nat(), { maxLength: 3 }), value }),
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** The object after the edits, what it should hold then, and the keys that were set or removed, or that were spliced. */
interface Edited {
  readonly object: JsonObject;
  readonly model: Map<string, unknown>;
  readonly changed: ReadonlySet<string>;
  readonly spliced: ReadonlySet<string>;
}

function edited(source: Buffer, edits: readonly Edit[]): Edited {
  let whole = JsonObject.of(source);
  const model = entries(JSON.parse(source.toString()));
  const changed = new Set<string>();
  const spliced = new Set<string>();
  for (const one of edits) {
    if (one.kind === 'set') {
      whole = whole.set(one.key, rawJson(one.value));
      model.set(one.key, JSON.parse(one.value));
    } else if (one.kind === 'remove') {
      whole = whole.remove(one.key);
      model.delete(one.key);
    } else {
      // A splice is of a place in the source, and places must not overlap: once for each key, before it is set.
      const target = changed.has(one.key) || spliced.has(one.key) ? undefined : whole.get(one.key);
      if (target === undefined) continue;
      const { place, path } = descend(target, one.path);
      whole = whole.splice([{ start: place.start, end: place.end, insert: rawJson(one.value) }]);
      model.set(one.key, withValueAt(model.get(one.key), path, JSON.parse(one.value)));
    }
    (one.kind === 'splice' ? spliced : changed).add(one.key);
  }
  return { object: whole, model, changed, spliced };
}

/** Some value inside `value`, chosen by `picks`; of repeated keys the last, which is the one JSON.parse shows. */
function descend(value: JsonValue, picks: readonly number[]): { place: JsonValue; path: (string | number)[] } {
  let place = value;
  const path: (string | number)[] = [];
  for (const pick of picks) {
    const members = place.members();
    const items = [...place.items()];
    const step = members.length > 0 ? (members[pick % members.length]?.key ?? '') : pick % items.length;
    const next = typeof step === 'string' ? place.member(step) : items[step];
    if (next === undefined) break;
    place = next;
    path.push(step);
  }
  return { place, path };
}

function withValueAt(within: unknown, [step, ...rest]: (string | number)[], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(within))
    return within.map((item: unknown, at) => (at === step ? withValueAt(item, rest, value) : item));
  const members = entries(within);
  return Object.fromEntries(members.set(String(step), withValueAt(members.get(String(step)), rest, value)));
}

/** Own entries as a Map, so that `__proto__` is a key as any other. */
function entries(of: unknown): Map<string, unknown> {
  return new Map(Object.entries(Object(of) as Record<string, unknown>)); // JSON.parse gives unknown shapes
}

describe('JsonObject after any sequence of set, remove and splice', () => {
  const check = (verify: (source: Buffer, result: Edited) => void): void => {
    fc.assert(
      fc.property(object, fc.array(edit, { maxLength: 6 }), (text, edits) => {
        const source = Buffer.from(text);
        verify(source, edited(source, edits));
      }),
      { numRuns: 400 },
    );
  };

  it('sends JSON that holds what the same edits of the parsed object hold', () => {
    check((_, { object: whole, model }) => {
      expect(entries(JSON.parse(Buffer.concat(whole.toRope()).toString()))).toEqual(model);
    });
  });

  it('lists the keys it sends and reads their bytes as they are sent', () => {
    check((_, { object: whole, model }) => {
      const sent = Buffer.concat(whole.toRope());
      expect(whole.keys().filter((one) => !whole.has(one))).toEqual([]);
      expect(new Set(whole.keys())).toEqual(new Set(model.keys()));
      const again = JsonObject.of(sent);
      for (const one of whole.keys()) {
        expect(Buffer.concat(whole.valueBytes(one) ?? []).toString()).toBe(again.get(one)?.bytes.toString());
      }
    });
  });

  it('sends every untouched byte as it came', () => {
    check((source, { object: whole, model, changed, spliced }) => {
      const sent = Buffer.concat(whole.toRope());
      const { members } = indexMembers(source);
      const [first, last] = [members[0], members.at(-1)];
      if (first === undefined || last === undefined) return;
      expect(sent.subarray(0, first.keyStart)).toEqual(source.subarray(0, first.keyStart));
      expect(sent.subarray(last.valueEnd - source.length)).toEqual(source.subarray(last.valueEnd));

      const lastPlaces = new Map(members.map((member) => [member.key, member]));
      const isKept = (member: JsonMember): boolean =>
        model.has(member.key) && (!changed.has(member.key) || lastPlaces.get(member.key) === member);
      const kept = members.filter(isKept);
      const out = indexMembers(sent).members;
      for (const [index, member] of kept.entries()) {
        const [is, next] = [out[index], out[index + 1]];
        if (is === undefined) throw new Error('a member is missing');
        expect(sent.subarray(is.keyStart, is.valueStart)).toEqual(source.subarray(member.keyStart, member.valueStart));
        if (!changed.has(member.key) && !spliced.has(member.key)) {
          expect(sent.subarray(is.valueStart, is.valueEnd)).toEqual(
            source.subarray(member.valueStart, member.valueEnd),
          );
        }
        const follower = members[members.indexOf(member) + 1];
        if (follower === undefined || follower !== kept[index + 1]) continue;
        expect(sent.subarray(is.valueEnd, next?.keyStart)).toEqual(source.subarray(member.valueEnd, follower.keyStart));
      }
    });
  });
});
