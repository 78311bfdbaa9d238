import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { statusCode } from './status-code.ts';

const PROTO = new URL('../../../../libs/ext-proc/proto/envoy/type/v3/http_status.proto', import.meta.url);
const named = [...readFileSync(PROTO, 'utf8').matchAll(/^ {2}(\w+) = (\d+);/gm)].map(([, name = '', code]) => ({
  name,
  code: Number(code),
}));

describe('statusCode', () => {
  it.each(named.filter(({ code }) => code >= 200))('knows $name', ({ name, code }) => {
    expect(statusCode(name)).toBe(code);
  });

  it.each([
    { said: 499, code: 499 },
    { said: 'Empty', code: 500 },
    { said: 'Continue', code: 500 },
    { said: 0, code: 500 },
    { said: undefined, code: 500 },
  ])('makes $code of $said', ({ said, code }) => {
    expect(statusCode(said)).toBe(code);
  });
});
