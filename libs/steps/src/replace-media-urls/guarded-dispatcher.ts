import { isIP } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector, Client, EnvHttpProxyAgent } from 'undici';
import type { Dispatcher } from 'undici';
import { isDialable } from './address-guard.ts';
import type { NetworkPolicy } from './address-guard.ts';
import type { Lookup } from './name-lookup.ts';

export interface DialOptions {
  readonly policy: NetworkPolicy;
  /** Obeys `HTTP(S)_PROXY` and `NO_PROXY`. What goes through a proxy has no address check: the proxy resolves the name. */
  readonly trustProxyEnv: boolean;
  readonly lookup: Lookup;
  /** Ends the connection in whatever state it is, while it is being made too. */
  readonly signal: AbortSignal;
  /** Sees the socket once it is connected, if this process connected it. */
  readonly onSocket: (socket: Socket) => void;
}

/** Thrown into the dial; says no more than that, since its text may reach a log. */
export class BlockedAddressError extends Error {
  constructor() {
    super('the address is not allowed');
    this.name = 'BlockedAddressError';
  }
}

/** Within `download_timeout`, whichever ends first. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * A client for one exchange with one origin, to be destroyed after it. A fresh connection each time costs a handshake and saves
 * the failures of connections that an origin closed while they idled; origins are the clients' choice and rarely seen twice.
 * Host header and SNI are those of the URL, whatever address is dialled.
 */
export function openDispatcher(origin: string, options: DialOptions): Dispatcher {
  const limits = { connect: guardedConnector(options), allowH2: false, headersTimeout: 0, bodyTimeout: 0 };
  return options.trustProxyEnv
    ? new EnvHttpProxyAgent({ ...limits, connectTimeout: CONNECT_TIMEOUT_MS, connections: 1 })
    : new Client(origin, limits);
}

/** Dials only addresses that the policy allows: the very ones that were checked, so that a name cannot resolve to others in between. */
function guardedConnector(options: DialOptions): buildConnector.connector {
  const dial = buildConnector({
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    signal: options.signal,
    lookup: guardedLookup(options),
  });
  return (target, callback) => {
    // Literal addresses are connected to without a lookup.
    if (isIP(target.hostname) !== 0 && !isDialable(target.hostname, options.policy)) {
      callback(new BlockedAddressError(), null);
      return;
    }
    dial(target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      options.onSocket(socket);
      callback(null, socket);
    });
  };
}

/** A name with one address that is not allowed is refused whole: which one is dialled would be the name's choice. */
function guardedLookup({ lookup, policy, signal }: DialOptions): LookupFunction {
  return (hostname, wanted, callback) => {
    lookup(hostname, signal).then(
      (addresses) => {
        const [first] = addresses;
        const allowed = addresses.every(({ address }) => isDialable(address, policy));
        if (first === undefined || !allowed || signal.aborted) callback(new BlockedAddressError(), '');
        else if (wanted.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new BlockedAddressError(), '');
      },
    );
  };
}
