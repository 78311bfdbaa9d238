import { describe, expect, it } from '@jest/globals';
import { JsonSyntaxError } from './json-syntax.error.ts';
import { validatedObject } from './validate.ts';

const reasonOf = (source: Buffer): Promise<unknown> =>
  validatedObject(source).then(
    () => 'accepted',
    (error: unknown) => (error instanceof JsonSyntaxError ? `${error.reason} at ${error.offset}` : error),
  );

describe('validatedObject', () => {
  it('gives the object as it came', async () => {
    const source = Buffer.from(' {"a": 1.0, "a":"\\ud83d", "é":[9007199254740993]}\n');
    const object = await validatedObject(source);
    expect(object.keys()).toEqual(['a', 'é']);
    expect(object.get('a')?.bytes.toString()).toBe('"\\ud83d"');
    expect(Buffer.concat(object.toRope())).toEqual(source);
  });

  it.each([
    ['a byte that begins no character', '{"a":"\xff"}'],
    ['a cut character', '{"a":"\xe4\xb8"}'],
    ['a cut character at the end', '{}\xe4\xb8'],
    ['a surrogate as bytes', '{"a":"\xed\xa0\xbd"}'],
    ['an overlong character', '{"a":"\xc0\xaf"}'],
    ['a character beyond the last', '{"a":"\xf4\x90\x80\x80"}'],
    ['UTF-16', '\xff\xfe{\0}\0'],
  ])('refuses %s as not UTF-8', async (_, latin1) => {
    expect(await reasonOf(Buffer.from(latin1, 'latin1'))).toBe('syntax at 0');
  });

  it.each([
    ['a byte order mark', '\ufeff{}', 'syntax at 0'],
    ['nothing', '', 'syntax at 0'],
    ['a cut object', '{"a":1', 'syntax at 6'],
    ['something behind the object', '{} {}', 'syntax at 3'],
    ['an array', ' []', 'kind at 1'],
    ['a string', '"{}"', 'kind at 0'],
    ['null', 'null', 'kind at 0'],
    ['a broken array', '[1', 'syntax at 2'],
    ['513 levels', '{"a":'.repeat(513) + '1' + '}'.repeat(513), 'depth at 2560'],
    ['1,000,000 levels', `{"a":${'['.repeat(1_000_000)}`, 'depth at 516'],
  ])('refuses %s', async (_, text, expected) => {
    expect(await reasonOf(Buffer.from(text))).toBe(expected);
  });

  it('accepts 512 levels', async () => {
    expect(await reasonOf(Buffer.from('{"a":'.repeat(512) + '1' + '}'.repeat(512)))).toBe('accepted');
  });

  it.each([
    ['a long string', `{"a":"${'x'.repeat(9 * 2 ** 20)}"}`],
    ['a long token array', `{"a":[${'12345,'.repeat(1_600_000)}1]}`],
  ])('lets the event loop turn while it reads %s of 9 MiB', async (_, text) => {
    expect(await turnsDuring(() => validatedObject(Buffer.from(text)))).toBeGreaterThanOrEqual(4);
  });

  it('reads a small document at once', async () => {
    expect(await turnsDuring(() => validatedObject(Buffer.from('{"a":1}')))).toBe(0);
  });
});

async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    if (isDone) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  await work();
  isDone = true;
  return turns;
}
