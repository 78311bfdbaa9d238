import { describe, expect, it } from '@jest/globals';
import { contains, parseAddress, parseNetwork } from './network.ts';

function isIn(address: string, block: string): boolean {
  const [network, parsed] = [parseNetwork(block), parseAddress(address)];
  if (network === undefined || parsed === undefined) throw new Error('not a network or not an address');
  return contains(network, parsed);
}

describe('parseNetwork', () => {
  it.each(['10.0.0.0/8', '10.1.2.3/8', '0.0.0.0/0', '127.0.0.1/32', '::/0', 'fd00:20::/64', '::ffff:10.0.0.0/104'])(
    'reads %s',
    (text) => {
      expect(parseNetwork(text)).toBeDefined();
    },
  );

  it.each([
    ['', 'nothing'],
    ['10.0.0.1', 'a bare address'],
    ['10.0.0.0/33', 'too many bits of IPv4'],
    ['::/129', 'too many bits of IPv6'],
    ['10.0.0.0/-1', 'a negative length'],
    ['10.0.0.0/8.5', 'a fraction'],
    ['10.0.0.0/', 'no length'],
    ['10.0.0.0/8/8', 'two lengths'],
    ['10.0.0.0/255.0.0.0', 'a mask'],
    ['10.1/16', 'a short spelling'],
    ['010.0.0.0/8', 'a leading zero'],
    ['0x0a.0.0.0/8', 'hexadecimal'],
    ['fe80::1%eth0/64', 'a zone'],
    ['localhost/32', 'a name'],
  ])('does not read %j: %s', (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  });
});

describe('contains', () => {
  it.each([
    ['10.255.255.255', '10.0.0.0/8', true],
    ['11.0.0.0', '10.0.0.0/8', false],
    ['10.1.2.3', '10.9.9.9/8', true],
    ['127.0.0.1', '127.0.0.1/32', true],
    ['127.0.0.2', '127.0.0.1/32', false],
    ['172.31.255.255', '172.16.0.0/12', true],
    ['172.32.0.0', '172.16.0.0/12', false],
    ['::ffff:10.1.2.3', '10.0.0.0/8', true],
    ['10.1.2.3', '::ffff:10.0.0.0/104', true],
    ['fd00:20::1', 'fd00:20::/64', true],
    ['fd00:21::1', 'fd00:20::/64', false],
    ['10.0.0.1', '::/0', false],
    ['fd00::1', '0.0.0.0/0', false],
  ])('%s in %s: %s', (address, block, expected) => {
    expect(isIn(address, block)).toBe(expected);
  });
});
