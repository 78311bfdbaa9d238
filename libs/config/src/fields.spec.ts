import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { duration, headerName, integer, mebibytes } from './fields.ts';

function messageOf(schema: z.ZodType, value: unknown): string {
  const result = schema.safeParse(value);
  return (
    (result.error?.issues ?? []).map(({ message }) => message).join('; ') || `accepted ${JSON.stringify(result.data)}`
  );
}

describe('duration', () => {
  it.each([
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['0', 0],
    [' 5s\n', 5_000],
    ['1us', 0.001],
  ])('reads %j as %d ms', (text, milliseconds) => {
    expect(duration().parse(text)).toBe(milliseconds);
  });

  it('waits no longer than a timer can', () => {
    expect(duration().parse('8760h')).toBe(2 ** 31 - 1);
  });

  it.each([
    [30, 'expected a duration such as "30s", got 30'],
    ['30', 'expected a duration such as "30s", got "30"'],
    ['-5s', 'expected a duration such as "30s", got "-5s"'],
    ['soon', 'expected a duration such as "30s", got "soon"'],
    [true, 'expected a duration such as "30s", got true'],
    [['1s'], 'expected a duration such as "30s", got a list'],
    [undefined, 'is required: a duration such as "30s"'],
  ])('refuses %j with %s', (value, message) => {
    expect(messageOf(duration(), value)).toBe(message);
  });

  it('refuses what is shorter than its minimum', () => {
    const interval = duration('5s', { min: '100ms' });
    expect(interval.parse('100ms')).toBe(100);
    expect(messageOf(interval, '0s')).toBe('expected a duration from 100ms, such as "30s", got "0s"');
  });

  it('takes its default as it is written in the file, or as milliseconds from zod', () => {
    expect(duration('1m').parse(undefined)).toBe(60_000);
    expect(duration().default(5_000).parse(undefined)).toBe(5_000);
    expect(duration().optional().parse(undefined)).toBeUndefined();
  });

  it('goes back to the text it is written as', () => {
    expect(duration().encode(90_000)).toBe('1m30s');
  });
});

describe('integer', () => {
  it.each([
    [integer(), -3],
    [integer({ min: 1 }), 1],
    [integer({ min: 1, max: 10 }), 10],
    [integer({ min: 0 }), 8192.0],
  ])('accepts what is in its range', (field, value) => {
    expect(field.parse(value)).toBe(value);
  });

  it.each([
    [{ min: 1 }, 0, 'expected an integer from 1, got 0'],
    [{ min: 1 }, 1.5, 'expected an integer from 1, got 1.5'],
    [{ min: 1 }, '5', 'expected an integer from 1, got "5"'],
    [{ min: 1 }, true, 'expected an integer from 1, got true'],
    [{ min: 1, max: 10 }, 11, 'expected an integer from 1 to 10, got 11'],
    [{ max: 10 }, 11, 'expected an integer up to 10, got 11'],
    [{}, NaN, 'expected an integer, got NaN'],
    [{}, 2 ** 60, 'expected an integer, got 1152921504606847000'],
    [{ min: 0 }, Infinity, 'expected an integer from 0, got Infinity'],
    [{ min: 1 }, undefined, 'is required: an integer from 1'],
  ])('with %j refuses %p with %s', (range, value, message) => {
    expect(messageOf(integer(range), value)).toBe(message);
  });
});

describe('mebibytes', () => {
  it('keeps MiB as they are written', () => {
    expect(mebibytes().parse(64)).toBe(64);
    expect(mebibytes().default(10).parse(undefined)).toBe(10);
  });

  it.each([
    [{}, -1, 'expected a size in MiB, an integer from 0, got -1'],
    [{ min: 1, max: 512 }, 513, 'expected a size in MiB, an integer from 1 to 512, got 513'],
    [{}, '64MiB', 'expected a size in MiB, an integer from 0, got "64MiB"'],
  ])('with %j refuses %p with %s', (range, value, message) => {
    expect(messageOf(mebibytes(range), value)).toBe(message);
  });

  it('refuses sizes whose bytes are no exact number', () => {
    const most = Math.floor(Number.MAX_SAFE_INTEGER / 2 ** 20);
    expect(mebibytes().safeParse(most).success).toBe(true);
    expect(mebibytes().safeParse(most + 1).success).toBe(false);
  });
});

describe('headerName', () => {
  it('reads names trimmed and in lower case', () => {
    expect(headerName().parse(' EPP-Profile ')).toBe('epp-profile');
    expect(headerName().default('x-a').parse(undefined)).toBe('x-a');
  });

  it.each(['', ' ', 'x y', 'x:y', 'ä', 'a\r\nb'])('refuses %j', (text) => {
    expect(messageOf(headerName(), text)).toBe(
      `expected the name of a header, such as "x-request-id", got ${JSON.stringify(text)}`,
    );
  });
});
