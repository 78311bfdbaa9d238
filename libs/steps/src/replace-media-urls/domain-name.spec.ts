import { describe, expect, it } from '@jest/globals';
import { normalizeDomain } from './domain-name.ts';

describe('normalizeDomain', () => {
  it.each([
    ['img.example', 'img.example'],
    [' IMG.Example ', 'img.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['127.0.0.1', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['FD00::1', 'fd00::1'],
    ['[fd00::1]', 'fd00::1'],
    ['img_1.example', 'img_1.example'],
  ])('%j is %s', (text, expected) => {
    expect(normalizeDomain(text)).toBe(expected);
  });

  it.each([
    '',
    '  ',
    'http://img.example',
    'img.example:8080',
    'img.example/x',
    '*.example',
    'a b',
    'u@img.example',
    '[::1',
    '1.2.3.256',
  ])('%j is no host', (text) => {
    expect(normalizeDomain(text)).toBeUndefined();
  });
});
