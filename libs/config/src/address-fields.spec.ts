import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { baseUrl, listenAddress } from './address-fields.ts';

function messageOf(schema: z.ZodType, value: unknown): string | undefined {
  return schema
    .safeParse(value)
    .error?.issues.map(({ message }) => message)
    .join('; ');
}

describe('baseUrl', () => {
  it.each([
    ['http://gw', 'http://gw'],
    ['http://gw/', 'http://gw'],
    ['https://gw:8443/prefix//', 'https://gw:8443/prefix'],
    ['HTTP://GW:80/A', 'http://gw/A'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    [' http://gw:8080\n', 'http://gw:8080'],
    ['http://gw/p@th', 'http://gw/p@th'],
  ])('reads %j as %s', (text, base) => {
    expect(baseUrl().parse(text)).toBe(base);
  });

  it.each(['http://', 'https://', '', 'http:///path', 'http://:8080', 'http://?q'])(
    'says that %j has no host',
    (text) => {
      expect(messageOf(baseUrl('gateway URL'), text)).toBe(
        `the gateway URL ${JSON.stringify(text)} is missing a host: write it as "http://inference-gateway:80"`,
      );
    },
  );

  it.each([
    'gw:8080',
    'ftp://gw',
    '//gw',
    'gw',
    'http:gw',
    'http://g w',
    'http://gw:99999',
    'http:\\\\gw',
    'http://gw\\x',
  ])('says that %j is no http URL', (text) => {
    expect(messageOf(baseUrl(), text)).toBe(
      `expected an http or https URL such as "http://inference-gateway:80", got ${JSON.stringify(text)}`,
    );
  });

  it.each([
    'http://user:hunter22@gw',
    'http://hunter22@gw',
    'ftp://user:hunter22@gw',
    'http://u:hunter22/x@gw',
    'http://u:hunter22@',
  ])('refuses %s without showing the password', (text) => {
    const message = messageOf(baseUrl(), text);
    expect(message).toBeDefined();
    expect(message).not.toContain('hunter22');
  });

  it.each(['http://gw?a=b', 'http://gw/#x'])('refuses %s, behind which no path can go', (text) => {
    expect(messageOf(baseUrl('gateway URL'), text)).toBe(
      'the gateway URL must end with its path: remove what begins with "?" or "#"',
    );
  });

  it('is required unless it is optional', () => {
    expect(messageOf(baseUrl(), undefined)).toMatch(/^is required: /);
    expect(baseUrl().optional().parse(undefined)).toBeUndefined();
    expect(baseUrl().default('http://a').parse(undefined)).toBe('http://a');
  });
});

describe('listenAddress', () => {
  it.each([
    [':8080', { host: '', port: 8080 }],
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    ['[::1]:8080', { host: '::1', port: 8080 }],
    ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
  ])('reads %s, and writes it back', (text, address) => {
    expect(listenAddress().parse(text)).toEqual(address);
    expect(listenAddress().encode(address)).toBe(text);
  });

  it.each([
    '8080',
    '',
    ':',
    ':65536',
    ':-1',
    ':http',
    '::1:8080',
    '[localhost]:80',
    '[::1]',
    '999.1.1.1:80',
    'a b:80',
    'http://a:80',
    8080,
  ])('refuses %j', (value) => {
    expect(messageOf(listenAddress(), value)).toBe(
      `expected an address to listen on such as ":8080", "127.0.0.1:8080" or "[::1]:8080", got ${JSON.stringify(value)}`,
    );
  });

  it('takes a default', () => {
    expect(listenAddress().prefault(':8080').parse(undefined)).toEqual({ host: '', port: 8080 });
  });
});
