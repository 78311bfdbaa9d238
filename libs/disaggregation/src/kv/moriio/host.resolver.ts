import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** A name as addresses; the first IPv4 one is taken. @throws Error where it has none */
export type Lookup = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** What a resolver did, for counters: a look-up beyond the first of a name, one with another outcome, one that failed. */
export type ResolverEvent = 'reresolve' | 'ip_changed' | 'lookup_failure';

/** All in milliseconds: `MORIIO_DNS_RESOLVE_TTL_SECONDS`, `MORIIO_DNS_RESOLVE_TIMEOUT_SECONDS`. */
export interface ResolverSettings {
  readonly ttl: number;
  readonly timeout: number;
}

interface Known {
  readonly address: string;
  /** On the clock of `performance.now()`. */
  readonly freshUntil: number;
}

/**
 * Names of pods as addresses. What is known is given at once, and looked up anew in the background when it is older than its time; a
 * name is looked up once at a time. A name that cannot be looked up stands for itself (`sidecar.md` 4.3).
 */
export class HostResolver {
  private readonly known = new Map<string, Known>();
  private readonly running = new Map<string, Promise<string | undefined>>();

  constructor(
    private readonly settings: ResolverSettings,
    private readonly onEvent: (event: ResolverEvent) => void = () => undefined,
    private readonly lookUp: Lookup = (name) => lookup(name, { all: true }),
  ) {}

  /**
   * Looks the names of a flag up at the start, so that a misspelt one is known before the first request.
   * @throws Error that names the flag
   */
  async seed(flag: string, names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (isLiteral(name)) continue;
      if ((await this.fresh(name)) === undefined) throw new Error(`resolving ${flag}: no address for ${name}`);
    }
  }

  /** @param signal when it aborts, a name that is not known stands for itself */
  async addressOf(name: string, signal: AbortSignal): Promise<string> {
    if (isLiteral(name)) return name;
    const known = this.known.get(name);
    if (known === undefined) return (await unlessAborted(this.fresh(name), signal)) ?? name;
    if (known.freshUntil <= performance.now()) void this.fresh(name);
    return known.address;
  }

  async addressesOf(names: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    return Promise.all(names.map((name) => this.addressOf(name, signal)));
  }

  /** Never rejects. */
  private fresh(name: string): Promise<string | undefined> {
    const running = this.running.get(name);
    if (running !== undefined) return running;
    const begun = this.resolve(name).finally(() => this.running.delete(name));
    this.running.set(name, begun);
    return begun;
  }

  private async resolve(name: string): Promise<string | undefined> {
    const before = this.known.get(name);
    if (before !== undefined) this.onEvent('reresolve');
    try {
      const address = firstOf(await inTime(this.lookUp(name), this.settings.timeout));
      if (before !== undefined && before.address !== address) this.onEvent('ip_changed');
      this.known.set(name, { address, freshUntil: performance.now() + this.settings.ttl });
      return address;
    } catch {
      this.onEvent('lookup_failure');
      // what was right a while ago is the best that there is, and is not asked for again with every request
      if (before !== undefined) {
        this.known.set(name, { address: before.address, freshUntil: performance.now() + this.settings.ttl });
      }
      return before?.address;
    }
  }
}

function isLiteral(name: string): boolean {
  return name === '' || isIP(name) !== 0;
}

function firstOf(found: Awaited<ReturnType<Lookup>>): string {
  const chosen = found.find(({ family }) => family === 4) ?? found[0];
  if (chosen === undefined) throw new Error('no address');
  return chosen.address;
}

/** The system's look-ups cannot be called off; one that takes too long is left to itself. */
async function inTime<Value>(promise: Promise<Value>, ms: number): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Error('too late'));
  }, ms).unref();
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  const aborted = Promise.withResolvers<undefined>();
  const onAbort = (): void => {
    aborted.resolve(undefined);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
