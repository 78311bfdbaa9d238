import type { EndpointState } from './endpoint.store.ts';

/**
 * Those of the endpoints that a hint names (`epp.md` 1.10). An entry names an address; its port counts where several endpoints share the
 * address, since the picker has to choose from the list.
 */
export function inSubset(all: readonly EndpointState[], hint: readonly string[]): readonly EndpointState[] {
  const named = new Map<string, Set<string>>();
  for (const entry of hint) {
    for (const { address, port } of readings(entry)) {
      const ports = named.get(address);
      if (ports === undefined) named.set(address, new Set([port]));
      else ports.add(port);
    }
  }
  const sharers = new Map<string, number>();
  for (const { endpoint } of all) sharers.set(endpoint.address, (sharers.get(endpoint.address) ?? 0) + 1);
  return all.filter(({ endpoint: { address, port } }) => {
    const ports = named.get(address);
    if (ports === undefined) return false;
    return sharers.get(address) === 1 || ports.has(ANY) || ports.has(String(port));
  });
}

interface Named {
  readonly address: string;
  readonly port: string;
}

const ANY = '';

/** What an entry may mean: of an IPv6 address without brackets it cannot be said whether its end is a port. */
function readings(entry: string): readonly Named[] {
  const text = entry.trim();
  const bracketed = /^\[([^\]]*)\](?::(\d*))?$/.exec(text);
  if (bracketed !== null) return [{ address: bracketed[1] ?? '', port: bracketed[2] ?? ANY }];
  const colon = text.lastIndexOf(':');
  if (colon === -1) return [{ address: text, port: ANY }];
  const split = { address: text.slice(0, colon), port: text.slice(colon + 1) };
  return text.indexOf(':') === colon ? [split] : [split, { address: text, port: ANY }];
}
