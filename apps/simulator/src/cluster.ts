import type { Faults } from './control/faults.ts';
import type { RequestLog } from './control/request-log.ts';
import { SimulatorState } from './control/simulator-state.ts';
import { EndpointPool, PROFILES } from './gateway/endpoint-pool.ts';
import { PickerChannels } from './gateway/picker-channels.ts';
import { GatewayRoutes } from './gateway/gateway-routes.ts';
import { simulatorSchema } from './simulator.config.ts';
import type { SimulatorConfig, SimulatorInput, WorkerRole } from './simulator.config.ts';
import { SimulatorModule } from './simulator.module.ts';
import { ServerGroup } from './server-group.ts';
import type { ServerAddress } from './server-group.ts';
import type { PrefixCache } from './worker/prefix-cache.ts';
import { workerNames } from './worker-names.ts';
import { WorkerIdentity } from './worker/worker-identity.ts';

export interface SimulatedWorker extends ServerAddress {
  /** `decode-1`, as the request log has it. */
  readonly name: string;
  readonly role: WorkerRole;
  readonly prefixCache: PrefixCache;
}

/** Simulated servers in this process. Those that were not asked for are undefined. */
export interface Simulation {
  readonly gateway: ServerAddress | undefined;
  readonly render: ServerAddress | undefined;
  readonly media: ServerAddress | undefined;
  /** Where prefill workers say which engines they have, for sidecars with `mooncake`. */
  readonly bootstrap: ServerAddress | undefined;
  readonly workers: readonly SimulatedWorker[];
  readonly faults: Faults;
  readonly requests: RequestLog;
  /** Where the gateway sends requests without the profile header. */
  coordinatorUrl: string | undefined;
  close(): Promise<void>;
}

export interface SimulatedCluster extends Simulation {
  readonly gateway: ServerAddress;
  readonly render: ServerAddress;
  readonly media: ServerAddress;
}

/**
 * Starts a whole cluster in this process: render, gateway, media, and a worker of each role unless `workers` says otherwise.
 * Ports are free ones, times zero, unless given.
 */
export async function startSimulatedCluster(options: SimulatorInput = {}): Promise<SimulatedCluster> {
  const simulation = await startSimulation({
    ...options,
    render: options.render ?? {},
    gateway: options.gateway ?? {},
    media: options.media ?? {},
    workers: options.workers ?? PROFILES.map((role) => ({ role })),
  });
  const { gateway, render, media } = simulation;
  if (gateway === undefined || render === undefined || media === undefined) {
    await simulation.close();
    throw new Error('a cluster has a gateway, a render and a media server');
  }
  return Object.assign(simulation, { gateway, render, media });
}

/** Starts what the options name and nothing else. @throws ZodError for bad options, Error EADDRINUSE for a taken port */
export async function startSimulation(options: SimulatorInput): Promise<Simulation> {
  const config = simulatorSchema.parse(options);
  const state = new SimulatorState(config);
  const routes = routesOf(config);
  const servers = new ServerGroup(config.host);
  const close = async (): Promise<void> => {
    await Promise.all([routes.close(), servers.close()]);
  };
  try {
    const { render, gateway, media } = config;
    return {
      bootstrap: await startBootstrap(state, servers),
      workers: await startWorkers(state, routes.endpoints, servers),
      render: render && (await servers.start(SimulatorModule.render(state), render.port)),
      media: media && (await servers.start(SimulatorModule.media(state), media.port)),
      gateway: gateway && (await servers.start(SimulatorModule.gateway(state, routes), gateway.port, 'streamed')),
      faults: state.faults,
      requests: state.requests,
      get coordinatorUrl() {
        return routes.coordinatorUrl;
      },
      set coordinatorUrl(url) {
        routes.coordinatorUrl = url;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function routesOf({ gateway }: SimulatorConfig): GatewayRoutes {
  const endpoints = new EndpointPool(structuredClone(gateway?.endpoints ?? NO_ENDPOINTS));
  const pickers = gateway?.picker === undefined ? undefined : new PickerChannels(gateway.picker);
  return new GatewayRoutes(endpoints, gateway?.coordinator, pickers, gateway?.sidecars);
}

/** What prefill workers are asked before a transfer, where the connector has that. */
async function startBootstrap(state: SimulatorState, servers: ServerGroup): Promise<ServerAddress | undefined> {
  const { sidecar } = state.config;
  if (sidecar?.kv_connector !== 'mooncake') return undefined;
  const server = await servers.start(SimulatorModule.bootstrap(state), sidecar.bootstrap_port);
  state.engines.address = server.url;
  return server;
}

const NO_ENDPOINTS = { encode: [], prefill: [], decode: [] };

async function startWorkers(
  state: SimulatorState,
  endpoints: EndpointPool,
  servers: ServerGroup,
): Promise<SimulatedWorker[]> {
  const workers: SimulatedWorker[] = [];
  const names = workerNames(state.config.workers.map(({ role }) => role));
  for (const [index, { role, port }] of state.config.workers.entries()) {
    const worker = new WorkerIdentity(names[index] ?? role, role, state.config);
    const server = await servers.start(SimulatorModule.worker(state, worker), port);
    worker.port = server.port;
    workers.push({ ...server, name: worker.name, role, prefixCache: worker.prefixCache });
    for (const profile of PROFILES) if (role === profile || role === 'all') endpoints.add(profile, server.url);
  }
  return workers;
}
