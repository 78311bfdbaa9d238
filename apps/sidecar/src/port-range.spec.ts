import { describe, expect, it } from '@jest/globals';
import { isPort, portRange, rangeProblem } from './port-range.ts';

describe('rangeProblem', () => {
  it.each([
    [1, 65_534, undefined],
    [65_535, 1, undefined],
    [8000, 0, '--port: invalid port range: 0 ports'],
    [8000, 65_535, '--port: invalid port range: 65535 ports'],
    [8000, 65_536, '--port: invalid port range: 65536 ports'],
    [0, 1, '--port start port 0 is out of valid range [1, 65535]'],
    [65_536, 1, '--port start port 65536 is out of valid range [1, 65535]'],
    [65_535, 2, '--port port range [65535, 65536] exceeds maximum port value'],
  ])('says of %d and as many ports as %d: %s', (start, size, expected) => {
    expect(rangeProblem('--port', start, size)).toBe(expected);
  });
});

describe('portRange', () => {
  it.each([
    ['8000', 8000],
    ['+8000', 8000],
    ['abc', '--port must be a valid integer, got "abc"'],
    ['80.5', '--port must be a valid integer, got "80.5"'],
    ['', '--port must be a valid integer, got ""'],
    ['-1', '--port start port -1 is out of valid range [1, 65535]'],
  ])('makes of %j %j', (text, expected) => {
    expect(portRange('--port', text, 1)).toBe(expected);
  });
});

describe('isPort', () => {
  it.each([
    [1, true],
    [65_535, true],
    [0, false],
    [65_536, false],
    [1.5, false],
    [Number.NaN, false],
  ])('%d: %s', (port, expected) => {
    expect(isPort(port)).toBe(expected);
  });
});
