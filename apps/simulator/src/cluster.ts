import type { Faults } from './control/faults.ts';
import type { RequestLog } from './control/request-log.ts';
import { SimulatorState } from './control/simulator-state.ts';
import { EndpointPool, PROFILES } from './gateway/endpoint-pool.ts';
import { PickerChannels } from './gateway/picker-channels.ts';
import { GatewayRoutes } from './gateway/gateway-routes.ts';
import { simulatorSchema } from './simulator.config.ts';
import type { SimulatorInput, WorkerRole } from './simulator.config.ts';
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
  const endpoints = new EndpointPool(structuredClone(config.gateway?.endpoints ?? NO_ENDPOINTS));
  const picker = config.gateway?.picker;
  const pickers = picker === undefined ? undefined : new PickerChannels(picker);
  const routes = new GatewayRoutes(endpoints, config.gateway?.coordinator, pickers);
  const servers = new ServerGroup(config.host);
  try {
    const { render, gateway, media } = config;
    return {
      workers: await startWorkers(state, endpoints, servers),
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
      close: async () => {
        await Promise.all([routes.close(), servers.close()]);
      },
    };
  } catch (error) {
    await Promise.all([routes.close(), servers.close()]);
    throw error;
  }
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
