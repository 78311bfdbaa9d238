import type { Endpoint } from '../endpoint.ts';
import type { EndpointStore } from '../endpoint.store.ts';
import type { Discovery } from '../plugin.ts';

/** Endpoints that are known beforehand and do not change. */
export class StaticDiscovery implements Discovery {
  constructor(private readonly endpoints: readonly Endpoint[]) {}

  start(endpoints: EndpointStore): Promise<void> {
    endpoints.replace(this.endpoints);
    return Promise.resolve();
  }

  close(): void {
    // there is nothing to be closed
  }
}
