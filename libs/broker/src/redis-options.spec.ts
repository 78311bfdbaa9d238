import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanup } from '#testing';
import { brokerConfig } from './broker.config.ts';
import { addressesOf, credentialsOf, databaseOf, pauseBefore } from './redis-options.ts';

const later = cleanup();

describe('addressesOf', () => {
  it.each([
    ['redis://redis', [], [{ host: 'redis', port: 6379 }]],
    [
      'rediss://u:p@[::1]:6380/2',
      ['[::2]:1', 'b:2'],
      [
        { host: '::1', port: 6380 },
        { host: '::2', port: 1 },
        { host: 'b', port: 2 },
      ],
    ],
  ])('of %s and %j', (redis_url, nodes, addresses) => {
    expect(addressesOf(brokerConfig.parse({ redis_url, redis: { nodes } }))).toEqual(addresses);
  });
});

describe('credentialsOf', () => {
  it.each([
    ['redis://redis', {}],
    ['redis://:p%3Aw@redis', { password: 'p:w' }],
    ['redis://u%40x:p@redis', { username: 'u@x', password: 'p' }],
  ])('of %s', (redis_url, credentials) => {
    expect(credentialsOf(brokerConfig.parse({ redis_url }))).toEqual(credentials);
  });

  it('has the password of the file, as a Secret is mounted, in the place of the one in the URL', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'password-'));
    later(() => rm(folder, { recursive: true }));
    const password_file = join(folder, 'password');
    await writeFile(password_file, 'p@ss:w/rd\n');
    const settings = brokerConfig.parse({ redis_url: 'redis://user:old@redis', redis: { password_file } });
    expect(credentialsOf(settings)).toEqual({ username: 'user', password: 'p@ss:w/rd' });
  });

  it('says which file it cannot read', () => {
    const settings = brokerConfig.parse({ redis_url: 'redis://redis', redis: { password_file: '/no/such/file' } });
    expect(() => credentialsOf(settings)).toThrow('/no/such/file');
  });
});

describe('databaseOf', () => {
  it.each([
    ['redis://redis', 0],
    ['redis://redis/', 0],
    ['redis://redis/3', 3],
  ])('of %s', (url, database) => {
    expect(databaseOf(url)).toBe(database);
  });
});

describe('pauseBefore', () => {
  it('doubles, is spread, and is never longer than 5 s', () => {
    fc.assert(
      fc.property(fc.nat(), (retries) => {
        const pause = pauseBefore(retries);
        const most = Math.min(5000, 100 * 2 ** Math.min(retries, 20));
        expect(pause).toBeGreaterThanOrEqual(most / 2);
        expect(pause).toBeLessThanOrEqual(most);
      }),
    );
  });
});
