import { isIP } from 'node:net';

/**
 * A host of `allowed_domains` as a parsed URL has it: lower case, international names in ASCII, IPv4 in four decimals.
 * Undefined for what is more than a host, or none.
 */
export function normalizeDomain(text: string): string | undefined {
  const name = bareHost(text.trim());
  const isIPv6 = isIP(name) === 6;
  if (!isIPv6 && /[\s:/?#@*%\\[\]]/.test(name)) return undefined;
  const url = URL.parse(`http://${isIPv6 ? `[${name}]` : name}/`);
  return url === null ? undefined : bareHost(url.hostname);
}

/** Without the brackets around IPv6. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
}
