import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { chooseOption, defOf, optionsOf, unwrap, valueOf } from './schema-walk.ts';

describe('unwrap', () => {
  const inner = z.string();

  it.each<[string, z.ZodType]>([
    ['default', inner.default('x')],
    ['prefault', inner.prefault('x')],
    ['optional', inner.optional()],
    ['nullable', inner.nullable()],
    ['readonly', inner.readonly()],
    ['catch', inner.catch('x')],
    ['nonoptional', inner.optional().nonoptional()],
    ['transform', inner.transform((text) => text.length)],
    ['codec', z.codec(inner, z.number(), { decode: Number, encode: String })],
    ['preprocess', z.preprocess((value) => value, inner)],
    ['lazy', z.lazy(() => inner)],
    ['several', inner.optional().default('x').readonly().nullable()],
  ])('finds what is written inside %s', (_, schema) => {
    expect(unwrap(schema)).toBe(inner);
  });

  it('stays at a schema with refinements and a description', () => {
    const refined = inner.refine(() => true).describe('x');
    expect(unwrap(refined)).toBe(refined);
  });
});

describe('chooseOption', () => {
  const render = z.strictObject({ type: z.literal('render'), mode: z.enum(['a', 'b']).default('a') });
  const decode = z.strictObject({ type: z.enum(['decode', 'prefill']) });
  const nested = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('x') }),
    z.strictObject({ type: z.literal('y') }),
  ]);
  const steps = z.discriminatedUnion('type', [render, decode, nested]);
  const mixed = z.union([
    z.string(),
    z.array(z.string()),
    z.strictObject({ kind: z.literal('k') }),
    z.strictObject({ other: z.string() }),
  ]);

  function chosen(schema: z.ZodType, value: unknown): unknown {
    const def = defOf(schema);
    return def.type === 'union' ? chooseOption(def, value) : undefined;
  }

  it.each([
    [{ type: 'render', mode: 'bad' }, render],
    [{ TYPE: 'prefill' }, decode],
    [{ type: 'y' }, nested.options[1]],
    [{ type: 'rendr' }, undefined],
    [{}, undefined],
    ['render', undefined],
    [null, undefined],
  ])('takes %j for the option with that discriminator', (value, option) => {
    expect(chosen(steps, value)).toBe(option);
  });

  it.each([
    [['a'], 1],
    [{ kind: 'z' }, 3],
  ])('of a plain union takes %j for option %d', (value, index) => {
    expect(chosen(mixed, value)).toBe(mixed.options[index]);
  });

  it('does not choose between two that fit', () => {
    expect(chosen(mixed, { kind: 'k' })).toBeUndefined();
  });

  it('sees the options of unions inside', () => {
    const def = defOf(steps);
    expect(def.type === 'union' ? optionsOf(def) : []).toEqual([render, decode, ...nested.options]);
  });
});

describe('valueOf', () => {
  it('prefers the exact spelling', () => {
    expect(valueOf({ A: 1, a: 2 }, 'a')).toBe(2);
    expect(valueOf({ A: 1 }, 'a')).toBe(1);
    expect(valueOf({}, 'constructor')).toBeUndefined();
  });
});
