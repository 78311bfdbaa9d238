import { readTree } from '#config';
import { isObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { simulatorSchema } from '../simulator.config.ts';
import type { SimulatorConfig } from '../simulator.config.ts';
import type { StackArguments } from './stack-arguments.ts';

/** Both configurations with the ports that are in use, and those ports by part. */
export interface StackPlan {
  readonly simulator: SimulatorConfig;
  readonly coordinator: JsonObject;
  readonly coordinatorUrl: string;
  readonly ports: ReadonlyMap<string, number>;
}

/** Of Prometheus, which has no file to name one. */
const PROMETHEUS_PORT = 9091;

/**
 * @param withPrometheus gives it a port too
 * @throws Error for unreadable or bad files, or a `--port` of an unknown part
 */
export function stackPlan(args: StackArguments, withPrometheus = false): StackPlan {
  const simulator = simulatorSchema.parse(readTree({ file: args.simulatorConfig }).values);
  const coordinator = readTree({ file: args.coordinatorConfig }).values;
  const server = isObject(coordinator['server']) ? coordinator['server'] : {};
  const { gateway, render, media, host } = simulator;
  if (gateway === undefined || render === undefined)
    throw new Error(`${args.simulatorConfig} has no gateway or no render`);

  const ports = new Map<string, number>();
  const place = (part: string, inFile: number): number => {
    const port = args.ports[part] ?? inFile + args.portOffset;
    ports.set(part, port);
    return port;
  };
  const address = (port: number): string => `http://${host}:${port}`;
  const gatewayPort = place('gateway', gateway.port);
  const coordinatorPort = place('coordinator', portIn(server['listen_addr']));
  const metricsPort = place('metrics', Number(server['metrics_port'] ?? 9090));
  const renderPort = place('render', render.port);
  const workers = simulator.workers.map((worker, i) => {
    const earlier = simulator.workers.slice(0, i).filter(({ role }) => role === worker.role).length;
    return { ...worker, port: place(earlier === 0 ? worker.role : `${worker.role}-${earlier + 1}`, worker.port) };
  });
  const mediaServer = media && { port: place('media', media.port) };
  if (withPrometheus) place('prometheus', PROMETHEUS_PORT);
  const unknown = Object.keys(args.ports).find((part) => !ports.has(part) && part !== 'prometheus');
  if (unknown !== undefined) throw new Error(`--port ${unknown}: there is ${[...ports.keys()].join(', ')}`);

  const coordinatorUrl = address(coordinatorPort);
  return {
    ports,
    coordinatorUrl,
    simulator: {
      ...simulator,
      workers,
      render: { ...render, port: renderPort },
      gateway: { ...gateway, port: gatewayPort, coordinator: coordinatorUrl },
      media: mediaServer,
    },
    coordinator: {
      ...coordinator,
      server: { ...server, listen_addr: `${host}:${coordinatorPort}`, metrics_port: metricsPort },
      gateway: { ...(isObject(coordinator['gateway']) ? coordinator['gateway'] : {}), address: address(gatewayPort) },
      pipeline: withRenderAddress(coordinator['pipeline'], address(renderPort)),
    },
  };
}

/** Of `:8080` or `host:8080`, the coordinator's own default without any. */
function portIn(listenAddress: unknown): number {
  return typeof listenAddress === 'string' ? Number(/\d+$/.exec(listenAddress)?.[0]) : 8080;
}

/** A step's address cannot be set from outside of the file. */
function withRenderAddress(pipeline: unknown, address: string): unknown {
  if (!isObject(pipeline) || !Array.isArray(pipeline['steps'])) return pipeline;
  const steps = pipeline['steps'].map((step: unknown) =>
    isObject(step) && step['type'] === 'render'
      ? { ...step, params: { ...(isObject(step['params']) ? step['params'] : {}), address } }
      : step,
  );
  return { ...pipeline, steps };
}
