import { describe, expect, it } from '@jest/globals';
import { requestPath } from './request-path.ts';

describe('requestPath', () => {
  it.each([
    [{ ':path': '/a?b=c', 'x-original-path': '/o' }, '/a'],
    [{ 'x-original-path': '/o', 'x-forwarded-path': '/f' }, '/o'],
    [{ 'x-forwarded-path': '/f' }, '/f'],
    [{}, '/v1/completions'],
  ])('of %j is %s', (headers, path) => {
    expect(requestPath(new Map(Object.entries(headers)))).toBe(path);
  });
});
