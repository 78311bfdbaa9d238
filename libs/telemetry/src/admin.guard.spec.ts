import { ForbiddenException, UnauthorizedException } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { AdminGuard } from './admin.guard.ts';

const TOKEN = 'secret-token';
const BEARER = { authorization: `Bearer ${TOKEN}` };
const [FREE, UNAUTHORIZED, FORBIDDEN] = ['let in', '401', '403'] as const;

/** What the guard says to a request; one for `localhost` where its headers do not say otherwise. */
function verdict(token: string, method: string, remoteAddress: string | undefined, headers: object): string {
  const request = { method, headers: { host: 'localhost:9090', ...headers }, raw: { socket: { remoteAddress } } };
  // of its context and of its sources, the guard reads these alone
  const context = { switchToHttp: () => ({ getRequest: () => request }) } as ExecutionContext;
  const guard = new AdminGuard({ token });
  try {
    return guard.canActivate(context) ? FREE : 'refused without a word';
  } catch (error) {
    if (error instanceof UnauthorizedException) return UNAUTHORIZED;
    if (error instanceof ForbiddenException) return FORBIDDEN;
    throw error;
  }
}

describe('AdminGuard', () => {
  it.each(['localhost', 'LOCALHOST:9090', '127.0.0.1', '127.0.0.1:9090', '[::1]', '[::1]:9090'])(
    'lets who asks %s for it on this machine read',
    (host) => {
      expect(verdict('', 'GET', '127.0.0.1', { host })).toBe(FREE);
    },
  );

  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('lets anybody at %s read', (address) => {
    for (const method of ['GET', 'HEAD']) {
      for (const token of ['', TOKEN]) expect(verdict(token, method, address, {})).toBe(FREE);
    }
  });

  it.each([
    ['another machine', '10.0.0.7', {}],
    ['an address that only looks like loopback', '128.0.0.1', {}],
    ['another address of IPv6', 'fe80::1', {}],
    ['nobody knows where', undefined, {}],
    ['a proxy on this machine', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }],
    ['a page whose name leads here', '127.0.0.1', { host: 'evil.example:9090' }],
    ['a page with a name that begins like this machine', '127.0.0.1', { host: 'localhost.evil.example' }],
    ['a client that does not say which host it wants', '127.0.0.1', { host: undefined }],
    ['a proxy that says so in the standard way', '::1', { forwarded: 'for=127.0.0.1' }],
  ])('lets who comes from %s read with the token alone', (_what, address, headers) => {
    expect(verdict(TOKEN, 'GET', address, headers)).toBe(UNAUTHORIZED);
    expect(verdict(TOKEN, 'GET', address, { ...headers, ...BEARER })).toBe(FREE);
    expect(verdict('', 'GET', address, headers)).toBe(FORBIDDEN);
    expect(verdict('', 'GET', address, { ...headers, authorization: 'Bearer ' })).toBe(FORBIDDEN);
  });

  it.each(['PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'])(
    'lets nobody %s without the token, loopback or not',
    (method) => {
      for (const address of ['127.0.0.1', '10.0.0.7']) {
        expect(verdict(TOKEN, method, address, {})).toBe(UNAUTHORIZED);
        expect(verdict(TOKEN, method, address, BEARER)).toBe(FREE);
        expect(verdict('', method, address, {})).toBe(FORBIDDEN);
        expect(verdict('', method, address, { authorization: 'Bearer ' })).toBe(FORBIDDEN);
      }
    },
  );

  it.each([
    [`Bearer ${TOKEN}`, FREE],
    [`bearer ${TOKEN}`, FREE],
    [`Bearer   ${TOKEN}`, FREE],
    [TOKEN, FREE],
    [`Bearer ${TOKEN} `, UNAUTHORIZED],
    [`Bearer ${TOKEN.slice(0, -1)}`, UNAUTHORIZED],
    [`Bearer x${TOKEN}`, UNAUTHORIZED],
    [`Basic ${TOKEN}`, UNAUTHORIZED],
    ['Bearer ', UNAUTHORIZED],
    ['', UNAUTHORIZED],
    [[`Bearer ${TOKEN}`], UNAUTHORIZED],
    [undefined, UNAUTHORIZED],
  ])('takes authorization: %j for %s', (authorization, expected) => {
    expect(verdict(TOKEN, 'POST', '10.0.0.7', { authorization })).toBe(expected);
  });
});
