import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A block of addresses: its base, and how many leading bits of it count. */
export interface Network {
  readonly base: Address;
  readonly prefix: number;
}

const MAPPED_PREFIX = 96;

/** Reads CIDR notation; undefined for anything else, a bare address included. An IPv4-mapped block is the IPv4 block it stands for. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = '', bits = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (isIP(address) === 0) return undefined;
  const base = ipaddr.parse(hexTail(address));
  const prefix = Number(bits);
  if (prefix > (base.kind() === 'ipv4' ? 32 : 128)) return undefined;
  const unmapped = prefix >= MAPPED_PREFIX ? unmap(base) : base;
  return { base: unmapped, prefix: unmapped === base ? prefix : prefix - MAPPED_PREFIX };
}

/** Reads an address in the spelling that name resolution and sockets use; an IPv4-mapped one as IPv4, which is what it connects to. */
export function parseAddress(text: string): Address | undefined {
  return isIP(text) === 0 ? undefined : unmap(ipaddr.parse(hexTail(text)));
}

export function contains(network: Network, address: Address): boolean {
  return network.base.kind() === address.kind() && address.match(network.base, network.prefix);
}

function unmap(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** IPv6 with its last four bytes in hexadecimal: ipaddr.js takes every dotted ending, `::8.8.8.8` too, for an IPv4-mapped address. */
function hexTail(text: string): string {
  if (!text.includes(':')) return text;
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)/, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number);
    return `${hexGroup(a, b)}:${hexGroup(c, d)}`;
  });
}

function hexGroup(high = 0, low = 0): string {
  return (high * 256 + low).toString(16);
}
