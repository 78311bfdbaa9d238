import { describe, expect, it } from '@jest/globals';
import { SchedulingError } from '../scheduling.error.ts';
import { pluginMetadata } from '../scheduling-plugin.decorator.ts';
import { aCandidate, aProfileResult, aRequest } from '../scheduling.fixture.ts';
import { HeaderProfileHandler } from './header-profile.handler.ts';

const PROFILES = ['encode', 'prefill', 'decode'];

function handler(parameters: Readonly<Record<string, unknown>> = {}): HeaderProfileHandler {
  return new HeaderProfileHandler(pluginMetadata(HeaderProfileHandler).parameters.parse(parameters));
}

function chosen(header: string | undefined, profiles: readonly string[] = PROFILES, of = handler()): readonly string[] {
  return of.next(aRequest({ headers: header === undefined ? {} : { 'epp-profile': header } }), profiles, new Map());
}

describe('header-profile-handler', () => {
  it.each([
    [undefined, 'decode'],
    ['', 'decode'],
    ['   ', 'decode'],
    ['decode', 'decode'],
    ['prefill', 'prefill'],
    [' prefill ', 'prefill'],
    ['encode', 'encode'],
  ])('takes EPP-Profile: %p for %s', (header, expected) => {
    expect(chosen(header)).toEqual([expected]);
  });

  it.each(['PREFILL', 'Decode', 'other', 'prefill,decode'])('refuses %s, which no profile is called', (header) => {
    expect(() => chosen(header)).toThrow(
      new SchedulingError('BadRequest', `no scheduling profile configured for "epp-profile" header value "${header}"`),
    );
  });

  it('says no more of an endless value than its beginning', () => {
    expect(() => chosen('x'.repeat(10_000))).toThrow(`"${'x'.repeat(64)}"`);
  });

  it('refuses a request without the header where no profile is the default one', () => {
    expect(() => chosen(undefined, ['a', 'b'])).toThrow('missing "epp-profile" header');
  });

  it.each([undefined, 'prefill', 'anything'])('takes the only profile there is with %p', (header) => {
    expect(chosen(header, ['only'])).toEqual(['only']);
  });

  it('takes the header and the default that it is told, in any case', () => {
    const named = handler({ headerName: ' X-Phase ', defaultProfile: ' prefill ' });
    const next = (headers: Readonly<Record<string, string>>): readonly string[] =>
      named.next(aRequest({ headers }), PROFILES, new Map());
    expect(next({ 'x-phase': 'encode', 'epp-profile': 'decode' })).toEqual(['encode']);
    expect(next({})).toEqual(['prefill']);
  });

  it('answers 429 where it is told to', () => {
    expect(() => chosen('other', PROFILES, handler({ unknownProfileStatus: 429 }))).toThrow(
      expect.objectContaining({ code: 'ResourceExhausted' }),
    );
  });

  it('runs one profile, once, which is the primary one', () => {
    const found = new Map([['prefill', aProfileResult([aCandidate()])]]);
    expect(handler().next(aRequest(), PROFILES, found)).toEqual([]);
    expect(handler().conclude(aRequest(), found, [])).toEqual({ primary: 'prefill', profiles: found });
  });

  it.each([{ headerName: '' }, { headerName: ' ' }, { defaultProfile: '' }, { header: 'x' }])(
    'is not made with %j',
    (parameters) => {
      expect(pluginMetadata(HeaderProfileHandler).parameters.safeParse(parameters).success).toBe(false);
    },
  );
});
