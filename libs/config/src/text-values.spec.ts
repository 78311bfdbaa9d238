import { describe, expect, it } from '@jest/globals';
import { booleanFrom, listFrom, numberFrom } from './text-values.ts';

describe('listFrom', () => {
  it.each([
    ['a', ['a']],
    ['a, b,,c ,', ['a', 'b', 'c']],
    ['', []],
  ])('reads %j as %j', (text, items) => {
    expect(listFrom(text)).toEqual(items);
  });
});

describe('numberFrom', () => {
  it.each([
    ['4', 4],
    ['-1', -1],
    ['+2.5', 2.5],
    [' 8192.0\n', 8192],
    ['1e3', 1000],
    ['.5', 0.5],
    ['0x10', undefined],
    ['1_000', undefined],
    ['', undefined],
    [' ', undefined],
    ['Infinity', undefined],
    ['4 5', undefined],
  ])('reads %j as %p', (text, value) => {
    expect(numberFrom(text)).toBe(value);
  });
});

describe('booleanFrom', () => {
  it.each([
    ['true', true],
    ['TRUE', true],
    ['t', true],
    ['1', true],
    ['False', false],
    ['f', false],
    ['0', false],
    ['yes', undefined],
    ['', undefined],
    ['10', undefined],
  ])('reads %j as %p', (text, value) => {
    expect(booleanFrom(text)).toBe(value);
  });
});
