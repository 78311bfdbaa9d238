import { NO_LOAD } from './endpoint.ts';
import type { Endpoint, EndpointLoad } from './endpoint.ts';

/** An endpoint with the load that was last seen. */
export interface EndpointState {
  readonly endpoint: Endpoint;
  readonly load: EndpointLoad;
}

/** Told of endpoints that come and go. One that changes goes first. */
export interface EndpointListener {
  added?(endpoint: Endpoint): void;
  removed?(endpoint: Endpoint): void;
}

/** The endpoints there are at present. Whoever discovers them says all of them; whoever scrapes them says how they are. */
export class EndpointStore {
  private readonly states = new Map<string, EndpointState>();
  private readonly listeners = new Set<EndpointListener>();
  private synced = false;

  /** Whether endpoints were said at least once, be it that there are none. */
  get isSynced(): boolean {
    return this.synced;
  }

  get size(): number {
    return this.states.size;
  }

  all(): readonly EndpointState[] {
    return [...this.states.values()];
  }

  get(id: string): EndpointState | undefined {
    return this.states.get(id);
  }

  /** Tells the listener of what is there and of what changes. */
  listen(listener: EndpointListener): void {
    this.listeners.add(listener);
    for (const { endpoint } of this.states.values()) listener.added?.(endpoint);
  }

  /** These are all there are: others go, and what was known of those that stay is kept. */
  replace(endpoints: readonly Endpoint[]): void {
    this.synced = true;
    const wanted = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
    for (const { endpoint } of [...this.states.values()]) {
      const next = wanted.get(endpoint.id);
      if (next === undefined || !isSamePlace(next, endpoint)) this.remove(endpoint);
    }
    for (const endpoint of wanted.values()) this.put(endpoint);
  }

  /**
   * What a scrape found; what it did not find keeps its value. Nothing is kept of an endpoint that has gone, or has another address by the
   * time its answer is there.
   */
  observe(seen: Endpoint, found: Partial<EndpointLoad>): void {
    const state = this.states.get(seen.id);
    if (state === undefined || !isSamePlace(state.endpoint, seen)) return;
    this.states.set(seen.id, { ...state, load: { ...state.load, ...found } });
  }

  private put(endpoint: Endpoint): void {
    const known = this.states.get(endpoint.id);
    this.states.set(endpoint.id, { endpoint, load: known?.load ?? NO_LOAD });
    if (known === undefined) for (const listener of this.listeners) listener.added?.(endpoint);
  }

  private remove(endpoint: Endpoint): void {
    this.states.delete(endpoint.id);
    for (const listener of this.listeners) listener.removed?.(endpoint);
  }
}

/** Another address is another process behind the same name: what was known of the old one does not hold. */
function isSamePlace(a: Endpoint, b: Endpoint): boolean {
  return a.address === b.address && a.port === b.port;
}
