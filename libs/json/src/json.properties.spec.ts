import { isUtf8 } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { indexMembers } from './json-index.ts';
import type { JsonMember } from './json-member.ts';
import { JsonObject } from './json-object.ts';
import { JsonValidator } from './json-validator.ts';
import { JsonValue } from './json-value.ts';
import { TokenArray } from './token-array.ts';

/** Documents as TEXT, with every spelling JSON allows: what a generator of values and `JSON.stringify` never write. */
const gap = fc.constantFrom('', '', '', ' ', '\n', ' \t\r\n ');
const piece = fc.constantFrom(
  ...['a', 'model', 'é', '😀', '\u2028', '\u007f', ' ', '/', '[', ']', '{', '}', ',', ':', '\\"', '\\\\', '\\/'],
  ...['\\b', '\\n', '\\u0065', '\\ud83d', '\\uDE00', 'x'.repeat(23), 'y'.repeat(50), 'z'.repeat(70)],
);
const string = fc.array(piece, { maxLength: 6 }).map((pieces) => `"${pieces.join('')}"`);
const number = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '1E5', '1e400', '-1.5e-7', '9007199254740993', '0.10e+2'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const KEYS = ['model', 'a', '__proto__', 'constructor', '', 'é', 'tokens'];
const key = fc.oneof(
  fc.constantFrom(...KEYS.map((name) => `"${name}"`), '"mod\\u0065l"', '"\\u0061"', '"\\u00e9"', '"__prot\\u006f__"'),
  string,
);
const ids = fc.array(fc.nat(), { minLength: 100, maxLength: 110 }).map((list) => `[${list.join(',')}]`);
const listed = (item: fc.Arbitrary<string>, [open, close]: [string, string]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(
        fc.tuple(gap, item, gap).map((parts) => parts.join('')),
        { maxLength: 5 },
      ),
      gap,
    )
    .map(([items, empty]) => `${open}${items.length === 0 ? empty : items.join(',')}${close}`);
const { value, object } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('true', 'false', 'null'),
    number,
    string,
    { arbitrary: ids, weight: 1 },
    { arbitrary: tie('array'), weight: 3 },
    { arbitrary: tie('object'), weight: 3 },
  ),
  array: listed(tie('value'), ['[', ']']),
  object: listed(
    fc.tuple(key, gap, gap, tie('value')).map(([name, before, after, of]) => `${name}${before}:${after}${of}`),
    ['{', '}'],
  ),
}));
const deep = fc
  .tuple(fc.integer({ min: 1, max: 400 }), value)
  .map(([levels, inner]) => `${'[1,'.repeat(levels)}${inner}${' ]'.repeat(levels)}`);
const text = fc
  .tuple(gap, fc.oneof({ arbitrary: value, weight: 9 }, { arbitrary: deep, weight: 1 }), gap)
  .map((parts) => parts.join(''));
const objectText = fc.tuple(gap, object, gap).map((parts) => parts.join(''));

const someByte = fc.oneof(
  fc.constantFrom(...Buffer.from('"\\{}[],:0-9.eEu tfn\n\0')),
  fc.integer({ min: 0, max: 255 }),
);
const mutation = fc.record({ kind: fc.constantFrom('flip', 'insert', 'remove', 'cut'), at: fc.nat(), byte: someByte });
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutated(bytes: Buffer, { kind, at, byte }: Mutation): Buffer {
  const place = at % (bytes.length + 1);
  if (kind === 'cut') return bytes.subarray(0, place);
  const inserted = kind === 'remove' ? [] : [byte];
  return Buffer.concat([
    bytes.subarray(0, place),
    Buffer.from(inserted),
    bytes.subarray(place + (kind === 'insert' ? 0 : 1)),
  ]);
}

const parsed = (bytes: Buffer | readonly Buffer[]): unknown =>
  JSON.parse(String(Buffer.isBuffer(bytes) ? bytes : Buffer.concat(bytes)));
/** Own entries as a Map, so that `__proto__` is a key as any other. */
const entries = (of: unknown): Map<string, unknown> => new Map(Object.entries(Object(of) as Record<string, unknown>));

function succeeds(work: () => unknown): boolean {
  try {
    return work() !== false;
  } catch {
    return false;
  }
}

function validated(source: Buffer, budget = Infinity): readonly JsonMember[] {
  const validator = new JsonValidator(source);
  while (!validator.run(budget));
  return validator.members;
}

describe('JsonValidator', () => {
  it('accepts every document', () => {
    fc.assert(fc.property(text, (written) => succeeds(() => validated(Buffer.from(written)))));
  });

  it('accepts of damaged documents those that JSON.parse accepts, in one run or in many', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 90 }),
        (written, mutations, budget) => {
          const source = mutations.reduce(mutated, Buffer.from(written));
          fc.pre(isUtf8(source));
          const expected = succeeds(() => [parsed(source)]);
          expect(succeeds(() => validated(source))).toBe(expected);
          expect(succeeds(() => validated(source, budget))).toBe(expected);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('the index', () => {
  it('is the same from the validator, in one run or in many, and from the scan of validated bytes', () => {
    fc.assert(
      fc.property(objectText, fc.integer({ min: 1, max: 90 }), (written, budget) => {
        const source = Buffer.from(written);
        const members = validated(source);
        expect(validated(source, budget)).toEqual(members);
        expect(indexMembers(source).members).toEqual(members);
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with JSON.parse on keys and values', () => {
    fc.assert(
      fc.property(objectText, (written) => {
        const source = Buffer.from(written);
        const whole = JsonObject.of(source, validated(source));
        const expected = entries(parsed(source));
        expect(new Set(whole.keys())).toEqual(new Set(expected.keys()));
        for (const [name, of] of expected) expect([name, parsed(whole.get(name)?.bytes ?? [])]).toEqual([name, of]);
        expect(Buffer.concat(whole.toRope())).toEqual(source);
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with JSON.parse on members and items at every depth', () => {
    const read = (of: JsonValue): unknown => {
      if (of.kind === 'array') return [...of.items()].map(read);
      if (of.kind === 'object')
        return Object.fromEntries(of.members().map((member) => [member.key, read(of.at(member))]));
      return of.kind === 'string' ? of.string : of.kind === 'number' ? of.number : of.isNull ? null : of.isTrue;
    };
    fc.assert(
      fc.property(text, (written) => expect(read(JsonValue.read(Buffer.from(written)))).toEqual(JSON.parse(written))),
      { numRuns: 300 },
    );
  });
});

describe('TokenArray.scan', () => {
  const element = fc.oneof(
    { arbitrary: fc.nat().map(String), weight: 20 },
    fc.constantFrom('0', '-0', '3.0', '1e2', '20e-1', '1e18', '100000000000000'),
    fc.constantFrom('-1', '1.5', '1e-1', '1e19', '99999999999999999999', '"1"', 'null', 'true', '[]', '[1]', '{}'),
  );

  it('accepts of arrays, damaged ones too, those of integers from 0 to below 2^63', () => {
    fc.assert(
      fc.property(listed(element, ['[', ']']), fc.array(mutation, { maxLength: 2 }), (written, mutations) => {
        const source = mutations.reduce(mutated, Buffer.from(written));
        fc.pre(isUtf8(source));
        const isId = (id: unknown): boolean => Number.isInteger(id) && Number(id) >= 0 && Number(id) < 2 ** 63;
        const expected = succeeds(() => {
          const ids = parsed(source);
          return Array.isArray(ids) && ids.every(isId);
        });
        // The scan ends at the array's end; what may stand behind it is its caller's to say.
        const scanned = succeeds(() => source.subarray(TokenArray.scan(source).end).toString().trim() === '');
        expect(scanned).toBe(expected);
      }),
      { numRuns: 800 },
    );
  });

  it('counts and finds the ids that JSON.parse does', () => {
    const id = fc.oneof(fc.nat().map(String), fc.constantFrom('3.0', '1e2', '123456789012345678'));
    fc.assert(
      fc.property(listed(id, ['[', ']']), fc.array(fc.nat({ max: 8 })), (written, indexes) => {
        const tokens = TokenArray.scan(Buffer.from(written));
        const expected: unknown = JSON.parse(written);
        expect(tokens.count).toBe(Array.isArray(expected) ? expected.length : -1);
        expect(tokens.bytes.toString()).toBe(written);
        const found = tokens.at(indexes).map((text) => (text === undefined ? undefined : Number(text)));
        expect(found).toEqual(indexes.map((index) => (Array.isArray(expected) ? (expected[index] as unknown) : -1)));
      }),
      { numRuns: 300 },
    );
  });
});
