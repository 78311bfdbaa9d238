import { isObject, objectAt } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import type { PortTable } from './port-table.ts';

/** Where the coordinator of this configuration listens. */
export function placeCoordinator(config: JsonObject, table: PortTable) {
  const { listen_addr: listen, metrics_port: metrics } = objectAt(config, 'server');
  // the coordinator's own defaults without any; of `:8080` or `host:8080` the port
  const usual = typeof listen === 'string' ? Number(/\d+$/.exec(listen)?.[0]) : 8080;
  return { port: table.place('coordinator', usual), metricsPort: table.place('metrics', Number(metrics ?? 9090)) };
}

/** Of the machine's parts; `listen` is `host:port`. */
export interface Addresses {
  readonly listen: string;
  readonly metricsPort: number;
  readonly gateway: string;
  readonly render: string;
}

/** The configuration with the addresses in use. */
export function withAddresses(config: JsonObject, { listen, metricsPort, gateway, render }: Addresses): JsonObject {
  return {
    ...config,
    server: { ...objectAt(config, 'server'), listen_addr: listen, metrics_port: metricsPort },
    gateway: { ...objectAt(config, 'gateway'), address: gateway },
    pipeline: withRenderAddress(config['pipeline'], render),
  };
}

/** A step's address cannot be set from outside of the file. */
function withRenderAddress(pipeline: unknown, address: string): unknown {
  if (!isObject(pipeline) || !Array.isArray(pipeline['steps'])) return pipeline;
  const steps = pipeline['steps'].map((step: unknown) =>
    isObject(step) && step['type'] === 'render' ? { ...step, params: { ...objectAt(step, 'params'), address } } : step,
  );
  return { ...pipeline, steps };
}
