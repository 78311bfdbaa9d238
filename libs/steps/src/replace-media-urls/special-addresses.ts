/**
 * IANA's IPv4 Special-Purpose Address Registry (2025-10-09), whole blocks, and multicast. Blocks that the registry calls
 * globally reachable (AS112, AMT) are in it too: none of them serves media.
 */
export const SPECIAL_IPV4: readonly string[] = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private use
  '100.64.0.0/10', // shared address space (carrier-grade NAT)
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link local, cloud metadata
  '172.16.0.0/12', // private use
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation (TEST-NET-1)
  '192.31.196.0/24', // AS112-v4
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relay anycast (deprecated), 6a44 relay
  '192.168.0.0/16', // private use
  '192.175.48.0/24', // direct delegation AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation (TEST-NET-2)
  '203.0.113.0/24', // documentation (TEST-NET-3)
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, limited broadcast
];

/** RFC 1918. */
export const PRIVATE_IPV4: readonly string[] = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];

/**
 * The only block IANA delegates global unicast from. Loopback, unspecified, IPv4-compatible, discard-only, dummy, local NAT64,
 * segment routing, unique local, link local, site local and multicast addresses all lie outside of it.
 */
export const GLOBAL_UNICAST_IPV6 = '2000::/3';

/** What of `GLOBAL_UNICAST_IPV6` is in IANA's IPv6 Special-Purpose Address Registry (2025-10-09), whole blocks. */
export const SPECIAL_IPV6: readonly string[] = [
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, ORCHIDv2, drone tags
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // direct delegation AS112
  '3fff::/20', // documentation
];

/** RFC 6052's prefix: the last four bytes are the IPv4 address that the translator connects to. */
export const NAT64_IPV6 = '64:ff9b::/96';
