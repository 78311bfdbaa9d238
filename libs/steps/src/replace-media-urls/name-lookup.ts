import type { LookupAddress } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';

/** Every address of a host name, or a rejection with the resolver's code. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>;

/**
 * The system's resolver blocks a thread of Node's pool for as long as a name server takes, and the pool has four for the whole
 * process. Names of media are the clients' choice, slow ones too, so they get two.
 */
const THREADS = 2;

/** As the system resolves names: hosts file, search domains and all. */
export const systemLookup: Lookup = boundedLookup((hostname) => resolve(hostname, { all: true }), THREADS);

/** At most `limit` lookups at a time; the others wait in line, and those whose caller has left are never made. */
export function boundedLookup(lookup: Lookup, limit: number): Lookup {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (hostname, signal) => {
    if (running < limit) running++;
    else await new Promise<void>((admit) => waiting.push(admit));
    try {
      signal.throwIfAborted();
      return await lookup(hostname, signal);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
