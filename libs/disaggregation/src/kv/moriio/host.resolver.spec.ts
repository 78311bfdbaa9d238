import { describe, expect, it } from '@jest/globals';
import { HostResolver } from './host.resolver.ts';
import type { Lookup, ResolverEvent } from './host.resolver.ts';

const V4 = { address: '10.0.0.1', family: 4 };
const V6 = { address: 'fd00::1', family: 6 };
const FOR_EVER = 3_600_000;
const signal = new AbortController().signal;

/** A resolver, the names that it looked up and what it counted. */
function aResolver(lookUp: Lookup, settings: { ttl?: number; timeout?: number } = {}) {
  const asked: string[] = [];
  const events: ResolverEvent[] = [];
  const resolver = new HostResolver(
    { ttl: FOR_EVER, timeout: FOR_EVER, ...settings },
    (event) => events.push(event),
    (name) => {
      asked.push(name);
      return lookUp(name);
    },
  );
  return { resolver, asked, events };
}

const fails: Lookup = () => Promise.reject(new Error('ENOTFOUND'));

describe('HostResolver', () => {
  it.each(['10.0.0.7', 'fd00::7', '::1', ''])('looks no address up: %j', async (literal) => {
    const { resolver, asked } = aResolver(fails);
    await resolver.seed('--moriio-remote-hosts', [literal]);
    expect(await resolver.addressOf(literal, signal)).toBe(literal);
    expect(asked).toEqual([]);
  });

  it.each([
    ['the IPv4 address of several', [V6, V4], '10.0.0.1'],
    ['an IPv6 address where there is no other', [V6], 'fd00::1'],
  ])('takes %s', async (_, found, expected) => {
    const { resolver } = aResolver(() => Promise.resolve(found));
    expect(await resolver.addressOf('pod', signal)).toBe(expected);
  });

  it('looks a name up once in its time', async () => {
    const { resolver, asked, events } = aResolver(() => Promise.resolve([V4]));
    await resolver.addressOf('pod', signal);
    expect(await resolver.addressesOf(['pod', '10.0.0.9', 'pod'], signal)).toEqual([
      '10.0.0.1',
      '10.0.0.9',
      '10.0.0.1',
    ]);
    expect(asked).toEqual(['pod']);
    expect(events).toEqual([]);
  });

  it('looks a name up once for all that ask at the same time', async () => {
    const { resolver, asked } = aResolver(() => Promise.resolve([V4]));
    await Promise.all(Array.from({ length: 25 }, () => resolver.addressOf('pod', signal)));
    expect(asked).toEqual(['pod']);
  });

  it('gives what is known at once when its time is over, and what is new from then on', async () => {
    const answers = [[V4], [{ address: '10.0.0.2', family: 4 }]];
    const { resolver, asked, events } = aResolver(() => Promise.resolve(answers.shift() ?? []), { ttl: 0 });
    await resolver.addressOf('pod', signal);
    expect(await resolver.addressOf('pod', signal)).toBe('10.0.0.1');
    await new Promise(setImmediate);
    expect(await resolver.addressOf('pod', signal)).toBe('10.0.0.2');
    expect(asked.slice(0, 2)).toEqual(['pod', 'pod']);
    expect(events.slice(0, 2)).toEqual(['reresolve', 'ip_changed']);
  });

  it('keeps what was right when it is not to be had any more', async () => {
    const answers = [Promise.resolve([V4])];
    const { resolver, events } = aResolver(() => answers.shift() ?? Promise.reject(new Error('down')), { ttl: 0 });
    await resolver.seed('--moriio-decode-hosts', ['pod']);
    await resolver.addressOf('pod', signal);
    await new Promise(setImmediate);
    expect(await resolver.addressOf('pod', signal)).toBe('10.0.0.1');
    expect(events.slice(0, 2)).toEqual(['reresolve', 'lookup_failure']);
  });

  it.each<[string, Lookup, { timeout?: number }]>([
    ['is unknown', fails, {}],
    ['has no address', () => Promise.resolve([]), {}],
    ['takes too long', () => new Promise(() => undefined), { timeout: 1 }],
  ])('passes a name through that %s', async (_, lookUp, settings) => {
    const { resolver, events } = aResolver(lookUp, settings);
    expect(await resolver.addressOf('pod', signal)).toBe('pod');
    expect(events).toEqual(['lookup_failure']);
  });

  it('asks anew for a name that could not be had', async () => {
    const { resolver, asked } = aResolver(fails);
    await resolver.addressOf('pod', signal);
    await resolver.addressOf('pod', signal);
    expect(asked).toEqual(['pod', 'pod']);
  });

  it.each(['before', 'while'])(
    'passes a name through where nobody waits any more, %s it is looked up',
    async (when) => {
      const { resolver } = aResolver(() => new Promise(() => undefined));
      const leaving = new AbortController();
      if (when === 'before') leaving.abort();
      const address = resolver.addressOf('pod', leaving.signal);
      leaving.abort();
      expect(await address).toBe('pod');
    },
  );

  it('knows the names of the flags from the start', async () => {
    const { resolver, asked } = aResolver(() => Promise.resolve([V4]));
    await resolver.seed('--moriio-remote-hosts', ['a', '10.0.0.9', 'b']);
    await resolver.addressesOf(['a', 'b'], signal);
    expect(asked).toEqual(['a', 'b']);
  });

  it('names the flag whose name has no address', async () => {
    const { resolver } = aResolver(fails);
    await expect(resolver.seed('--moriio-local-pod-ip', ['pod'])).rejects.toThrow(
      'resolving --moriio-local-pod-ip: no address for pod',
    );
  });

  it('asks the system', async () => {
    const resolver = new HostResolver({ ttl: FOR_EVER, timeout: FOR_EVER });
    await resolver.seed('--moriio-remote-hosts', ['localhost']);
    expect(['127.0.0.1', '::1']).toContain(await resolver.addressOf('localhost', signal));
  });
});
