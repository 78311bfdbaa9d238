import ipaddr from 'ipaddr.js';
import { contains, parseAddress, parseNetwork } from './network.ts';
import type { Address, Network } from './network.ts';
import { GLOBAL_UNICAST_IPV6, NAT64_IPV6, PRIVATE_IPV4, SPECIAL_IPV4, SPECIAL_IPV6 } from './special-addresses.ts';

/** What the operator opens beyond the public Internet. */
export interface NetworkPolicy {
  /** Opens RFC 1918, and nothing else: IPv6 unique local addresses stay closed. */
  readonly allowPrivateNetworks: boolean;
  /** Opens exactly these, whatever they are, loopback too. */
  readonly allowedNetworks: readonly Network[];
}

/**
 * Whether a media download may connect to this address. Everything special is refused, and so is what is no address at all.
 *
 * An IPv4-mapped address is judged as the IPv4 address it connects to. A NAT64 address is open when the IPv4 address in it is
 * public (networks with DNS64 resolve every IPv4 host to one); neither setting opens it by what is inside, since the translator,
 * not this host, makes that connection. 6to4, Teredo and IPv4-compatible addresses are refused whatever they embed.
 * @see decisions.md M3
 */
export function isDialable(text: string, policy: NetworkPolicy): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (policy.allowedNetworks.some((network) => contains(network, address))) return true;
  if (policy.allowPrivateNetworks && isIn(PRIVATE, address)) return true;
  return isPublic(address);
}

const PRIVATE = networks(PRIVATE_IPV4);
const SPECIAL = networks([...SPECIAL_IPV4, ...SPECIAL_IPV6]);
const GLOBAL_UNICAST = networks([GLOBAL_UNICAST_IPV6]);
const NAT64 = networks([NAT64_IPV6]);

function isPublic(address: Address): boolean {
  if (isIn(NAT64, address)) return isPublic(new ipaddr.IPv4(address.toByteArray().slice(12)));
  if (isIn(SPECIAL, address)) return false;
  return address.kind() === 'ipv4' || isIn(GLOBAL_UNICAST, address);
}

function isIn(blocks: readonly Network[], address: Address): boolean {
  return blocks.some((block) => contains(block, address));
}

function networks(blocks: readonly string[]): readonly Network[] {
  return blocks.map((block) => {
    const network = parseNetwork(block);
    if (network === undefined) throw new Error(`not a network: ${block}`);
    return network;
  });
}
