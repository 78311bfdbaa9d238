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
import type { StackArguments } from './stack-arguments.ts';

/** What there is to start, configured for the ports in use. */
export interface StackPlan {
  readonly host: string;
  /** Ports by part. */
  readonly ports: ReadonlyMap<string, number>;
  /** Without a gateway where Envoy takes its place. */
  readonly simulator: SimulatorConfig;
  readonly pickers: readonly PickerPlan[];
  readonly envoy: EnvoyPlan | undefined;
  readonly coordinator: JsonObject;
  readonly coordinatorUrl: string;
  /** Where clients come in. */
  readonly url: string;
}

/** Of parts that have no file to name theirs. */
const PROMETHEUS_PORT = 9091;
const PHASES_PORT = 8010;
const ENVOY_ADMIN_PORT = 9901;
/** Where Envoy listens, and where it looks for pickers and coordinator. */
const LOOPBACK = '127.0.0.1';

/**
 * @param withPrometheus gives it a port too
 * @throws Error for unreadable or bad files, or a `--port` of an unknown part
 */
export function stackPlan(args: StackArguments, withPrometheus = false): StackPlan {
  const file = simulatorFile(args);
  const coordinator = readTree({ file: args.coordinatorConfig }).values;
  const { host } = file;
  const table = new PortTable(args);
  const address = (port: number): string => `http://${host}:${port}`;
  const gatewayPort = table.place('gateway', file.gateway.port);
  const listens = placeCoordinator(coordinator, table);
  const renderPort = table.place('render', file.render.port);
  const workers = placeWorkers(file, table);
  const mediaPort = file.media === undefined ? 0 : table.place('media', file.media.port);
  const endpoints = workers.map(({ name, role, port }) => workerEndpoint(name, role, host, port));
  const pickers = pickerPlans(args, endpoints, table);
  const envoy = args.envoy ? envoyPlan(gatewayPort, listens.port, pickers, table) : undefined;
  if (withPrometheus) table.place('prometheus', PROMETHEUS_PORT);
  table.check();

  const coordinatorUrl = address(listens.port);
  const picker = pickerAddresses(pickers, host);
  return {
    host,
    ports: table.ports,
    simulator: {
      ...file,
      workers: workers.map(({ role, port }) => ({ role, port })),
      render: { ...file.render, port: renderPort },
      media: { port: mediaPort },
      gateway:
        envoy === undefined ? { ...file.gateway, port: gatewayPort, coordinator: coordinatorUrl, picker } : undefined,
    },
    pickers,
    envoy,
    coordinator: withAddresses(coordinator, {
      listen: `${host}:${listens.port}`,
      metricsPort: listens.metricsPort,
      gateway: address(envoy?.topology.port ?? gatewayPort),
      render: address(renderPort),
    }),
    coordinatorUrl,
    url: address(gatewayPort),
  };
}

/** @throws ZodError, or Error where something is missing that a stack needs */
function simulatorFile({ simulatorConfig, envoy }: StackArguments) {
  const file = simulatorSchema.parse(readTree({ file: simulatorConfig }).values);
  const { gateway, render, host } = file;
  if (gateway === undefined || render === undefined) throw new Error(`${simulatorConfig} has no gateway or no render`);
  if (envoy && host !== LOOPBACK) throw new Error(`${simulatorConfig}: host has to be ${LOOPBACK} for --envoy`);
  return { ...file, gateway, render };
}

function placeWorkers({ workers }: SimulatorConfig, table: PortTable) {
  const names = workerNames(workers.map(({ role }) => role));
  return workers.map(({ role, port }, index) => {
    const name = names[index] ?? role;
    return { name, role, port: table.place(name, port) };
  });
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
