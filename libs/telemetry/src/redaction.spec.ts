import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ErrorBodyShape, ropeBytes } from './redaction.ts';

/** What is logged of a body that comes in these chunks. */
function shapeOf(...chunks: readonly (string | Buffer)[]): unknown {
  const shapes: unknown[] = [];
  const observer = new ErrorBodyShape((shape) => shapes.push(shape));
  for (const chunk of chunks) observer.chunk(Buffer.from(chunk));
  observer.end();
  expect(shapes).toHaveLength(1);
  return shapes[0];
}

describe('ErrorBodyShape', () => {
  it('has keys, codes and switches, and the lengths of texts', () => {
    const body = '{"error":{"message":"bad image","type":"BadRequestError","code":400,"retry":true,"param":null}}';
    expect(shapeOf(body)).toEqual({
      error: { message: '[9 characters]', type: '[15 characters]', code: 400, retry: true, param: null },
    });
  });

  it.each([
    ['{"code":400,"status":503,"status_code":422}', { code: 400, status: 503, status_code: 422 }],
    ['{"token_ids":[1,2,3],"line":7}', { token_ids: ['[number]', '[number]', '[number]'], line: '[number]' }],
    ['{"code":[151643]}', { code: ['[number]'] }],
    ['[[["x"]]]', [[['[1 characters]']]]],
    ['"the prompt"', '[10 characters]'],
    ['17', '[number]'],
    ['null', null],
    ['no JSON: the prompt', { bytes: 19 }],
    ['', { bytes: 0 }],
    ['{"__proto__":{"a":"b"}}', JSON.parse('{"__proto__":{"a":"[1 characters]"}}')],
  ])('makes of %s no more than its shape', (body, shape) => {
    expect(shapeOf(body)).toEqual(shape);
  });

  it('has at most ten items and ten keys, eight levels and 64 characters of a key', () => {
    const items = JSON.stringify(Array.from({ length: 30 }, () => true));
    const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, true])));
    const long = JSON.stringify({ ['k'.repeat(200)]: true });
    expect(shapeOf(items)).toHaveLength(10);
    expect(Object.keys(shapeOf(keys) ?? {})).toHaveLength(10);
    expect(Object.keys(shapeOf(long) ?? {})).toEqual(['k'.repeat(64)]);
    expect(JSON.stringify(shapeOf('['.repeat(20) + ']'.repeat(20)))).toBe('[[[[[[[["[truncated]"]]]]]]]]');
  });

  it('reads a body that comes in pieces', () => {
    const body = Buffer.from('{"error":{"message":"中"}}');
    expect(shapeOf(...Array.from(body, (byte) => Buffer.of(byte)))).toEqual({ error: { message: '[1 characters]' } });
  });

  it.each([8 * 1024, 8 * 1024 + 1, 1024 * 1024])(
    'of %i bytes is read up to 8 KiB, and beyond that only measured',
    (length) => {
      const body = `{"a":"${'x'.repeat(length - 8)}"}`;
      const shape = length > 8 * 1024 ? { bytes: length } : { a: `[${length - 8} characters]` };
      expect(shapeOf(body.slice(0, 5000), body.slice(5000))).toEqual(shape);
    },
  );

  it('has no text and no number of any body', () => {
    const leaf = fc.oneof(
      fc.string({ minLength: 1 }).map((text) => `SECRET${text}`),
      fc.constant(151_643),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('value'), { maxLength: 12 }),
        fc.dictionary(fc.constantFrom('message', 'detail', 'input', 'loc', '__proto__'), tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, (body) => {
        const logged = JSON.stringify(shapeOf(JSON.stringify(body)));
        expect(logged).not.toContain('SECRET');
        expect(logged).not.toContain('151643');
      }),
    );
  });
});

describe('ropeBytes', () => {
  it.each([
    [[Buffer.from('ab'), Buffer.from('c')], 3],
    [[], 0],
    [undefined, undefined],
  ])('is the size of %p: %p', (body, size) => {
    expect(ropeBytes(body)).toBe(size);
  });

  it('does not know the size of a body that is still to come', () => {
    expect(ropeBytes((async function* () {})())).toBeUndefined();
  });
});
