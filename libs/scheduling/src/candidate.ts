import type { Endpoint, EndpointLoad } from './endpoint.ts';
import type { EndpointState } from './endpoint.store.ts';

/** How much of a prompt an endpoint has in its cache, in blocks. */
export interface PrefixMatch {
  readonly matchedBlocks: number;
  readonly totalBlocks: number;
  /** Tokens of a block. */
  readonly blockSize: number;
}

/** Requests and tokens that were sent to an endpoint and have not come back. */
export interface InFlight {
  readonly requests: number;
  readonly tokens: number;
}

/** An endpoint as one request sees it: its load as it was when the request came, and what producers found out. */
export class Candidate {
  readonly endpoint: Endpoint;
  readonly load: EndpointLoad;
  private readonly matches = new Map<string, PrefixMatch>();
  private readonly loads = new Map<string, InFlight>();

  constructor({ endpoint, load }: EndpointState) {
    this.endpoint = endpoint;
    this.load = load;
  }

  /** @param producer name of the plugin that found it */
  prefixMatch(producer: string): PrefixMatch | undefined {
    return this.matches.get(producer);
  }

  setPrefixMatch(producer: string, match: PrefixMatch): void {
    this.matches.set(producer, match);
  }

  inFlight(producer: string): InFlight | undefined {
    return this.loads.get(producer);
  }

  setInFlight(producer: string, load: InFlight): void {
    this.loads.set(producer, load);
  }
}
