import { readTree } from '#config';
import type { JsonObject } from '../control/json-value.ts';
import { simulatorSchema } from '../simulator.config.ts';
import type { SimulatorConfig } from '../simulator.config.ts';
import { workerNames } from '../worker-names.ts';
import { placeCoordinator, withAddresses } from './coordinator-plan.ts';
import type { EnvoyPlan } from './envoy-process.ts';
import { byPhase, pickerPlans, workerEndpoint } from './picker-plan.ts';
import type { PickerPlan } from './picker-plan.ts';
import { PortTable } from './port-table.ts';
import { queuePlan, withBroker } from './queue-plan.ts';
import type { QueuePlan } from './queue-plan.ts';
import { behindSidecars, sidecarPlans, sidecarWorkers } from './sidecar-plan.ts';
import type { PlacedWorker, SidecarPlan } from './sidecar-plan.ts';
import type { StackArguments } from './stack-arguments.ts';

/** The coordinator to start. */
export interface CoordinatorPlan {
  readonly config: JsonObject;
  readonly url: string;
}

/** What there is to start, configured for the ports in use. */
export interface StackPlan {
  readonly host: string;
  /** Ports by part. */
  readonly ports: ReadonlyMap<string, number>;
  /** Without a gateway where Envoy takes its place. */
  readonly simulator: SimulatorConfig;
  readonly pickers: readonly PickerPlan[];
  readonly sidecars: readonly SidecarPlan[];
  readonly envoy: EnvoyPlan | undefined;
  /** Undefined where decode workers have sidecars. */
  readonly coordinator: CoordinatorPlan | undefined;
  /** Undefined where nothing is queued. */
  readonly queue: QueuePlan | undefined;
  /** Where clients come in. */
  readonly url: string;
}

/** Of parts that have no file to name theirs. */
const PROMETHEUS_PORT = 9091;
const PHASES_PORT = 8010;
const ENVOY_ADMIN_PORT = 9901;
/** Where Envoy, sidecars and Redis listen, and where they look for others. */
const LOOPBACK = '127.0.0.1';

/**
 * @param withPrometheus gives it a port too
 * @throws Error for unreadable or bad files, or a `--port` of an unknown part
 */
export function stackPlan(args: StackArguments, withPrometheus = false): StackPlan {
  const table = new PortTable(args);
  const file = simulatorFile(args);
  const plan = args.sidecar ? sidecarStack(args, file, table) : coordinatorStack(args, file, table);
  if (withPrometheus) table.place('prometheus', PROMETHEUS_PORT);
  table.check();
  return { ...plan, host: file.host, ports: table.ports };
}

type Parts = Omit<StackPlan, 'host' | 'ports'>;
type SimulatorFile = ReturnType<typeof simulatorFile>;

function coordinatorStack(args: StackArguments, file: SimulatorFile, table: PortTable): Parts {
  const coordinator = readTree({ file: args.coordinatorConfig }).values;
  const { host } = file;
  const address = (port: number): string => `http://${host}:${port}`;
  const gatewayPort = table.place('gateway', file.gateway.port);
  const listens = placeCoordinator(coordinator, table);
  const renderPort = table.place('render', file.render.port);
  const { workers, simulator } = placeWorkers(file, table);
  const pickers = pickerPlans(args, endpointsOf(workers, host), table);
  const envoy = args.envoy ? envoyPlan(gatewayPort, listens.port, pickers, table) : undefined;
  const url = address(listens.port);
  const picker = pickerAddresses(pickers, host);
  const queue = args.async ? queuePlan(args.asyncWorkerConfig, host, address(gatewayPort), table) : undefined;
  return {
    simulator: {
      ...simulator,
      render: { ...file.render, port: renderPort },
      gateway: envoy === undefined ? { ...file.gateway, port: gatewayPort, coordinator: url, picker } : undefined,
    },
    pickers,
    sidecars: [],
    envoy,
    coordinator: {
      url,
      config: withAddresses(queue === undefined ? coordinator : withBroker(coordinator, queue.redisUrl), {
        listen: `${host}:${listens.port}`,
        metricsPort: listens.metricsPort,
        gateway: address(envoy?.topology.port ?? gatewayPort),
        render: address(renderPort),
      }),
    },
    queue,
    url: address(gatewayPort),
  };
}

/** Client, gateway with a picker, sidecars, workers: what a coordinator would do, a sidecar does for each request of its own. */
function sidecarStack(args: StackArguments, file: SimulatorFile, table: PortTable): Parts {
  const { host } = file;
  const gatewayPort = table.place('gateway', file.gateway.port);
  const { workers, simulator } = placeWorkers(file, table);
  const shared = simulatorSchema.shape.sidecar.unwrap().parse({ ...file.sidecar, ...sidecarWorkers(args, table) });
  const sidecars = sidecarPlans(workers, shared, table);
  const pickers = pickerPlans(args, endpointsOf(behindSidecars(workers, sidecars), host), table);
  const topology = { port: gatewayPort, pickers: byPhase(pickers, ({ grpcPort }) => grpcPort), beginsTraces: true };
  const gateway = { ...file.gateway, port: gatewayPort, picker: pickerAddresses(pickers, host), sidecars: true };
  return {
    simulator: {
      ...simulator,
      render: undefined,
      sidecar: shared,
      gateway: args.envoy ? undefined : { ...gateway, coordinator: undefined },
    },
    pickers,
    sidecars,
    envoy: args.envoy ? { topology, adminPort: table.place('envoy', ENVOY_ADMIN_PORT) } : undefined,
    coordinator: undefined,
    queue: undefined,
    url: `http://${host}:${gatewayPort}`,
  };
}

/** @throws ZodError, or Error where something is missing that a stack needs */
function simulatorFile({ simulatorConfig, envoy, sidecar, async }: StackArguments) {
  const file = simulatorSchema.parse(readTree({ file: simulatorConfig }).values);
  const { gateway, render, host } = file;
  if (gateway === undefined || render === undefined) throw new Error(`${simulatorConfig} has no gateway or no render`);
  const [flag] = Object.entries({ envoy, sidecar, async }).flatMap(([name, isSet]) => (isSet ? [name] : []));
  if (flag !== undefined && host !== LOOPBACK)
    throw new Error(`${simulatorConfig}: host has to be ${LOOPBACK} for --${flag}`);
  return { ...file, gateway, render };
}

function placeWorkers(
  file: SimulatorFile,
  table: PortTable,
): { workers: readonly PlacedWorker[]; simulator: SimulatorConfig } {
  const names = workerNames(file.workers.map(({ role }) => role));
  const workers = file.workers.map(({ role, port }, index) => {
    const name = names[index] ?? role;
    return { name, role, port: table.place(name, port) };
  });
  const media = { port: file.media === undefined ? 0 : table.place('media', file.media.port) };
  return { workers, simulator: { ...file, workers: workers.map(({ role, port }) => ({ role, port })), media } };
}

function endpointsOf(workers: readonly PlacedWorker[], host: string) {
  return workers.map(({ name, role, port }) => workerEndpoint(name, role, host, port));
}

/** Clients come in at a listener of their own, so that no header of theirs leads past the coordinator. */
function envoyPlan(
  clientPort: number,
  coordinatorPort: number,
  pickers: readonly PickerPlan[],
  table: PortTable,
): EnvoyPlan {
  const port = table.place('phases', PHASES_PORT);
  return {
    topology: { clientPort, port, coordinatorPort, pickers: byPhase(pickers, ({ grpcPort }) => grpcPort) },
    adminPort: table.place('envoy', ENVOY_ADMIN_PORT),
  };
}

function pickerAddresses(pickers: readonly PickerPlan[], host: string) {
  const [only, ...others] = pickers;
  if (only === undefined) return undefined;
  const at = ({ grpcPort }: PickerPlan): string => `${host}:${grpcPort}`;
  return others.length === 0 ? at(only) : byPhase(pickers, at);
}
