import { Agent } from 'undici';
import type { EndpointPool } from './endpoint-pool.ts';
import type { PickerChannels } from './picker-channels.ts';

/** Where a gateway sends what it gets. */
export class GatewayRoutes {
  /** Without limits on time: they are the coordinator's business. */
  readonly upstream = new Agent({ headersTimeout: 0, bodyTimeout: 0, connections: null, pipelining: 1 });

  constructor(
    readonly endpoints: EndpointPool,
    /** Settable later, since a coordinator needs the gateway's address first. */
    public coordinatorUrl: string | undefined,
    /** Who says which worker serves a call; undefined: the gateway itself, by the pool. */
    readonly pickers: PickerChannels | undefined,
    /** Whether the picker is asked about every request: decode workers have sidecars, and there is no coordinator. */
    readonly hasSidecars = false,
  ) {}

  async close(): Promise<void> {
    this.pickers?.close();
    await this.upstream.destroy();
  }
}
