import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { baseUrl, listenAddress } from './address-fields.ts';
import { duration, headerName, integer, mebibytes } from './fields.ts';
import { jsonSchemaOf } from './json-schema.ts';

describe('jsonSchemaOf', () => {
  const schema = z.object({
    wait: duration('30s').describe('How long.'),
    pause: duration().default(90_000).describe('Pause.'),
    address: baseUrl().describe('Where to.'),
    listen: listenAddress().prefault(':8080'),
    header: headerName().default('x-a'),
    headers: z.array(headerName()).default(['x-b']),
    size: mebibytes().default(64),
    port: integer({ min: 0, max: 65_535 }).default(9090),
    mode: z.enum(['a', 'b']).default('a'),
    steps: z
      .array(z.discriminatedUnion('type', [z.object({ type: z.literal('x') }), z.object({ type: z.literal('y') })]))
      .default([]),
    free: z.record(z.string(), z.unknown()).optional(),
    open: z.looseObject({}).optional(),
  });
  const json = jsonSchemaOf(schema, { title: 'Coordinator', id: 'https://example.test/coordinator.json' });

  it('is headed by dialect, id and title', () => {
    expect(Object.entries(json).slice(0, 3)).toEqual([
      ['$schema', 'https://json-schema.org/draft/2020-12/schema'],
      ['$id', 'https://example.test/coordinator.json'],
      ['title', 'Coordinator'],
    ]);
    expect(jsonSchemaOf(schema, { title: 'x' })).not.toHaveProperty('$id');
  });

  it('describes what is written, with defaults in that form', () => {
    expect(json).toMatchObject({
      type: 'object',
      required: ['address'],
      properties: {
        wait: { type: 'string', default: '30s', description: 'How long.', examples: expect.arrayContaining(['1m30s']) },
        pause: { type: 'string', default: '1m30s', description: 'Pause.' },
        address: { type: 'string', format: 'uri', description: 'Where to.' },
        listen: { type: 'string', default: ':8080' },
        header: { type: 'string', default: 'x-a' },
        headers: { type: 'array', default: ['x-b'], items: { type: 'string' } },
        port: { type: 'integer', minimum: 0, maximum: 65_535, default: 9090 },
        mode: { enum: ['a', 'b'], default: 'a' },
      },
    });
  });

  it('takes no unknown keys, except where the schema does', () => {
    expect(json).toMatchObject({
      additionalProperties: false,
      properties: { steps: { items: { oneOf: [{ additionalProperties: false }, { additionalProperties: false }] } } },
    });
    expect(json).not.toHaveProperty('properties.open.additionalProperties', false);
  });

  it('leaves out bounds that only say what an exact integer is', () => {
    expect(jsonSchemaOf(z.object({ a: integer({ min: 1 }) }), { title: 'x' })).toHaveProperty('properties.a', {
      type: 'integer',
      minimum: 1,
    });
  });

  it.each([
    [duration(), ['0', '1m30s', '1.5h', '.5s', '1us', ' 5s'], ['30', '', '-5s', '1d', 's']],
    [headerName(), ['x-a', ' X-A '], ['', 'x a', 'x:']],
    [listenAddress(), [':8080', '[::1]:80'], ['8080', ':http']],
    [baseUrl(), ['http://a', 'HTTPS://a/b'], ['http://', 'ftp://a', 'a:80']],
  ])('has a pattern that agrees with the field', (field, right, wrong) => {
    const { pattern } = z.object({ pattern: z.string() }).parse(jsonSchemaOf(field, { title: 'x' }));
    for (const [texts, agrees] of [
      [right, true],
      [wrong, false],
    ] as const) {
      expect(texts.map((text) => [text, new RegExp(pattern, 'u').test(text)])).toEqual(
        texts.map((text) => [text, agrees]),
      );
      expect(texts.map((text) => [text, field.safeParse(text).success])).toEqual(texts.map((text) => [text, agrees]));
    }
  });
});
