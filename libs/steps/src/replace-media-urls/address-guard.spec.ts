import { describe, expect, it } from '@jest/globals';
import { isDialable } from './address-guard.ts';
import type { NetworkPolicy } from './address-guard.ts';
import { parseNetwork } from './network.ts';

const CLOSED: NetworkPolicy = { allowPrivateNetworks: false, allowedNetworks: [] };
const PRIVATE: NetworkPolicy = { allowPrivateNetworks: true, allowedNetworks: [] };

function opened(...blocks: string[]): NetworkPolicy {
  return { allowPrivateNetworks: false, allowedNetworks: blocks.flatMap((block) => parseNetwork(block) ?? []) };
}

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2000::1',
  '2001:200::1',
  '2606:4700:4700::1111',
  '2a00:1450::1',
  '3ffe::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
];

/** One or two addresses, the first and the last, of every block of IANA's registries, and of what else is no host of the Internet. */
const SPECIAL = [
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private use 10', '10.0.0.0', '10.255.255.255'],
  ['shared address space', '100.64.0.0', '100.127.255.255'],
  ['loopback', '127.0.0.0', '127.255.255.255'],
  ['link local and metadata', '169.254.0.0', '169.254.169.254'],
  ['private use 172', '172.16.0.0', '172.31.255.255'],
  ['protocol assignments', '192.0.0.0', '192.0.0.255'],
  ['PCP and TURN anycast', '192.0.0.9', '192.0.0.10'],
  ['NAT64 discovery', '192.0.0.170', '192.0.0.171'],
  ['TEST-NET-1', '192.0.2.0', '192.0.2.255'],
  ['AS112-v4', '192.31.196.0', '192.31.196.255'],
  ['AMT', '192.52.193.0', '192.52.193.255'],
  ['6to4 and 6a44 relays', '192.88.99.1', '192.88.99.2'],
  ['private use 192', '192.168.0.0', '192.168.255.255'],
  ['direct delegation AS112', '192.175.48.0', '192.175.48.255'],
  ['benchmarking', '198.18.0.0', '198.19.255.255'],
  ['TEST-NET-2', '198.51.100.0', '198.51.100.255'],
  ['TEST-NET-3', '203.0.113.0', '203.0.113.255'],
  ['multicast', '224.0.0.0', '239.255.255.255'],
  ['reserved', '240.0.0.0', '255.255.255.254'],
  ['limited broadcast', '255.255.255.255', '255.255.255.255'],
  ['unspecified and loopback', '::', '::1'],
  ['IPv4-compatible', '::7f00:1', '::8.8.8.8'],
  ['IPv4-mapped special', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe'],
  ['IPv4-translated', '::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  ['NAT64 of a special address', '64:ff9b::7f00:1', '64:ff9b::10.0.0.5'],
  ['local NAT64', '64:ff9b:1::7f00:1', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard-only', '100::', '100::ffff:ffff:ffff:ffff'],
  ['dummy', '100:0:0:1::', '100:0:0:1::1'],
  ['Teredo', '2001::1', '2001:0:ffff:ffff::1'],
  ['protocol anycast', '2001:1::1', '2001:1::3'],
  ['IPv6 benchmarking', '2001:2::', '2001:2:0:ffff::'],
  ['IPv6 AMT', '2001:3::', '2001:3:ffff::'],
  ['AS112-v6', '2001:4:112::', '2001:4:112:ffff::'],
  ['ORCHID', '2001:10::', '2001:1f:ffff::'],
  ['ORCHIDv2', '2001:20::', '2001:2f:ffff::'],
  ['drone tags', '2001:30::', '2001:3f:ffff::'],
  ['rest of the protocol assignments', '2001:40::', '2001:1ff:ffff::'],
  ['IPv6 documentation', '2001:db8::', '2001:db8:ffff::'],
  ['6to4', '2002:7f00:1::', '2002:808:808::1'],
  ['IPv6 direct delegation AS112', '2620:4f:8000::', '2620:4f:8000:ffff::'],
  ['longer IPv6 documentation', '3fff::', '3fff:fff:ffff::'],
  ['segment routing', '5f00::', '5f00:ffff::'],
  ['unallocated', '4000::', 'f000::'],
  ['unique local', 'fc00::', 'fdff:ffff::'],
  ['IPv6 link local', 'fe80::', 'fe80::1%eth0'],
  ['site local', 'fec0::', 'feff:ffff::'],
  ['IPv6 multicast', 'ff00::', 'ff02::1'],
] as const;

describe('isDialable', () => {
  it.each(PUBLIC)('allows the public address %s', (address) => {
    expect(isDialable(address, CLOSED)).toBe(true);
  });

  it.each(SPECIAL)('refuses %s: %s, %s', (_, first, last) => {
    expect([isDialable(first, CLOSED), isDialable(last, CLOSED)]).toEqual([false, false]);
  });

  it.each([
    '',
    'localhost',
    '127.1',
    '0177.0.0.1',
    '0x7f.1',
    '2130706433',
    '127.0.0.1.',
    '1.2.3',
    '[::1]',
    '1.1.1.1/32',
  ])('refuses %j, which is no address', (text) => {
    expect(isDialable(text, CLOSED)).toBe(false);
  });

  it.each(['10.0.0.5', '172.16.0.1', '172.31.255.255', '192.168.1.1', '::ffff:10.0.0.5'])(
    'allows %s with allow_private_networks',
    (address) => {
      expect(isDialable(address, PRIVATE)).toBe(true);
    },
  );

  it.each([
    '127.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '172.32.0.0/12',
    '0.0.0.0',
    'fd00::1',
    'fe80::1',
    '64:ff9b::10.0.0.5',
    '2002:a00:5::1',
    '::10.0.0.5',
  ])('refuses %s even with allow_private_networks', (address) => {
    expect(isDialable(address, PRIVATE)).toBe(false);
  });

  it.each([
    ['127.0.0.1', '127.0.0.0/8', true],
    ['::ffff:127.0.0.1', '127.0.0.0/8', true],
    ['127.0.0.2', '127.0.0.1/32', false],
    ['10.0.0.5', '127.0.0.0/8', false],
    ['169.254.169.254', '169.254.169.254/32', true],
    ['fd00::1', 'fd00::/8', true],
    ['::1', '::1/128', true],
    ['::1', '127.0.0.0/8', false],
    ['64:ff9b::7f00:1', '127.0.0.0/8', false],
    ['64:ff9b::7f00:1', '64:ff9b::/96', true],
    ['2002:7f00:1::', '127.0.0.0/8', false],
    ['8.8.8.8', '127.0.0.0/8', true],
  ])('%s with allowed_networks %s: %s', (address, block, expected) => {
    expect(isDialable(address, opened(block))).toBe(expected);
  });
});
