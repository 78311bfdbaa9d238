/** One port of one worker pod: what a request can be sent to. */
export interface Endpoint {
  /** `namespace/name`; of a pod with several ports, the name ends in `-rank-0`, `-rank-1`, … */
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  /** IPv4 or IPv6 address, or a host name. */
  readonly address: string;
  readonly port: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** What an endpoint last said of itself. A figure that it never gave is undefined. */
export interface EndpointLoad {
  /** Requests that wait for their turn. */
  readonly waiting: number | undefined;
  readonly running: number | undefined;
  /** Part of the KV cache in use, 0 to 1. */
  readonly kvUsage: number | undefined;
  /** Tokens of a cache block, and how many blocks there are. */
  readonly blockSize: number | undefined;
  readonly blocks: number | undefined;
  /** When a scrape last succeeded, on the clock of `performance.now()`; undefined: never. */
  readonly updatedAt: number | undefined;
}

export const NO_LOAD: EndpointLoad = {
  waiting: undefined,
  running: undefined,
  kvUsage: undefined,
  blockSize: undefined,
  blocks: undefined,
  updatedAt: undefined,
};

/** `ip:port` as headers carry it, IPv6 in brackets. */
export function hostPort({ address, port }: Pick<Endpoint, 'address' | 'port'>): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** The value of a label; undefined where the pod does not have it. Names such as `constructor` are labels like any other. */
export function labelOf({ labels }: Pick<Endpoint, 'labels'>, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}
