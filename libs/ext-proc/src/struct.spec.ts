import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeStruct, encodeStruct } from './struct.ts';
import type { JsonFields } from './struct.ts';

describe('encodeStruct and decodeStruct', () => {
  it('give back every JSON object', () => {
    const data = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.string(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(data, (value) => {
        // made of nothing else
        const fields = { value } as JsonFields;
        expect(decodeStruct(encodeStruct(fields))).toEqual(fields);
      }),
    );
  });

  it('take a value without a kind for null, and a struct without fields for an empty object', () => {
    expect(decodeStruct({ fields: { a: {}, b: { listValue: {} }, c: { structValue: {} } } })).toEqual({
      a: null,
      b: [],
      c: {},
    });
    expect(decodeStruct({})).toEqual({});
  });
});
