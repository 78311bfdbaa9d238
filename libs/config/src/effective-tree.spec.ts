import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { listenAddress } from './address-fields.ts';
import { effectiveTree } from './effective-tree.ts';
import { duration, headerName, integer } from './fields.ts';

describe('effectiveTree', () => {
  it.each<[string, z.ZodType, unknown, unknown]>([
    ['a default that is milliseconds', duration().default(90_000), undefined, '1m30s'],
    ['a default that is a text', duration('90s'), undefined, '1m30s'],
    ['a text that is written', duration('1s'), '120s', '2m'],
    ['an address', listenAddress().default({ host: '::1', port: 1 }), undefined, '[::1]:1'],
    ['a header name', headerName(), ' X-A', 'x-a'],
    ['a list', z.array(duration()).default([1_000]), undefined, ['1s']],
    ['a list that is written', z.array(duration()), ['1000ms'], ['1s']],
    ['a number', integer().default(3).describe('x'), undefined, 3],
    ['an optional default', integer().default(3).optional(), undefined, 3],
    ['an optional', duration().optional(), undefined, undefined],
    ['a null', z.string().nullable(), null, null],
    ['a free map', z.record(z.string(), duration()), { A: '60s' }, { A: '1m' }],
    ['a lazy schema', z.lazy(() => duration('5s')), '90s', '1m30s'],
    ['a preprocessed value', z.preprocess((value) => value, z.array(duration())), ['90s'], ['1m30s']],
    [
      'a transformation without a way back',
      z
        .string()
        .transform((text) => text.length)
        .default(3),
      undefined,
      3,
    ],
    ['such a transformation', z.string().transform((text) => text.length), 'abc', 'abc'],
    ['an unknown', z.unknown(), { a: 1 }, { a: 1 }],
    ['a union of values', z.union([z.string(), z.number()]), 5, 5],
  ])('writes %s', (_, schema, input, expected) => {
    expect(effectiveTree(schema, input)).toEqual(expected);
  });

  it('fills in what is missing at every depth, in the order of the schema', () => {
    const params = z.strictObject({ timeout: duration('30s'), size: integer().default(1) }).prefault({});
    const schema = z.strictObject({
      a: params,
      steps: z.array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('x'), params }),
          z.strictObject({ type: z.literal('y') }),
        ]),
      ),
      off: z.strictObject({ b: integer().default(1) }).optional(),
    });
    const tree = effectiveTree(schema, { steps: [{ params: { size: 2 }, type: 'x' }, { type: 'y' }] });
    expect(JSON.stringify(tree)).toBe(
      '{"a":{"timeout":"30s","size":1},"steps":[{"type":"x","params":{"timeout":"30s","size":2}},{"type":"y"}]}',
    );
  });

  it('is accepted again, with the same outcome', () => {
    const schema = z.strictObject({
      wait: duration('90s'),
      listen: listenAddress().prefault(':1'),
      open: z.looseObject({}).prefault({ a: 1 }),
    });
    const again = effectiveTree(schema, {});
    expect(schema.parse(again)).toEqual(schema.parse({}));
    expect(effectiveTree(schema, again)).toEqual(again);
  });
});
