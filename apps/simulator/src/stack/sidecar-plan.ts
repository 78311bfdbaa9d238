import type { SidecarConfig, WorkerRole } from '../simulator.config.ts';
import type { PortTable } from './port-table.ts';
import type { StackArguments } from './stack-arguments.ts';

/** A decode sidecar to start. */
export interface SidecarPlan {
  /** Its part: `sidecar-1`. */
  readonly name: string;
  readonly port: number;
  readonly metricsPort: number;
  /** Of the worker that it stands before, on this machine. */
  readonly enginePort: number;
  /** What its workers have to agree with. */
  readonly workers: SidecarConfig;
}

/** A worker with its place. */
export interface PlacedWorker {
  readonly name: string;
  readonly role: WorkerRole;
  readonly port: number;
}

/** Of sidecars, which have no file to name them: the next one has the next port. */
const PORT = 8401;
const METRICS_PORT = 9101;
const BOOTSTRAP_PORT = 8998;

/** What the workers behind sidecars are told of the connectors. */
export function sidecarWorkers(
  { kvConnector, ecConnector }: Pick<StackArguments, 'kvConnector' | 'ecConnector'>,
  ports: PortTable,
): Partial<SidecarConfig> {
  // SGLang's is named in requests, and nobody listens there
  const bootstrap = kvConnector === 'mooncake' ? { bootstrap_port: ports.place('bootstrap', BOOTSTRAP_PORT) } : {};
  return { kv_connector: kvConnector, ec_connector: ecConnector, ...bootstrap };
}

/** One before each worker that decodes. */
export function sidecarPlans(
  placed: readonly PlacedWorker[],
  workers: SidecarConfig,
  ports: PortTable,
): readonly SidecarPlan[] {
  return placed.filter(decodes).map(({ port }, index) => ({
    name: `sidecar-${index + 1}`,
    port: ports.place(`sidecar-${index + 1}`, PORT + index),
    metricsPort: ports.place(`sidecar-${index + 1}-metrics`, METRICS_PORT + index),
    enginePort: port,
    workers,
  }));
}

/** The workers as an endpoint picker is told of them: it reaches those that decode through their sidecars. */
export function behindSidecars(placed: readonly PlacedWorker[], sidecars: readonly SidecarPlan[]): PlacedWorker[] {
  return placed.map((worker) => {
    const own = decodes(worker) ? sidecars.find(({ enginePort }) => enginePort === worker.port) : undefined;
    return own === undefined ? worker : { ...worker, port: own.port };
  });
}

function decodes({ role }: PlacedWorker): boolean {
  return role === 'decode' || role === 'all';
}
