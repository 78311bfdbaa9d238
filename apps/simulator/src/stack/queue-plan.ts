import { readTree } from '#config';
import { isObject, objectAt } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import type { PortTable } from './port-table.ts';

/** Redis and the async worker to start, and what the coordinator is to know. */
export interface QueuePlan {
  readonly redisPort: number;
  readonly redisUrl: string;
  /** The async worker's file, with the addresses in use. */
  readonly worker: JsonObject;
  /** Of the worker's `/readyz`. */
  readonly workerUrl: string;
}

const REDIS_PORT = 6379;
const WORKER_PORT = 8081;
const WORKER_METRICS_PORT = 9095;

/** @param gateway where the worker has requests served: where clients come in. @throws Error for an unreadable file */
export function queuePlan(file: string, host: string, gateway: string, table: PortTable): QueuePlan {
  const config = readTree({ file }).values;
  const redisPort = table.place('redis', portOf(config['redis_url'], REDIS_PORT));
  const redisUrl = `redis://${host}:${redisPort}`;
  const server = objectAt(config, 'server');
  const port = table.place('async-worker', portOf(server['listen_addr'], WORKER_PORT));
  const metricsPort = table.place('async-worker-metrics', Number(server['metrics_port'] ?? WORKER_METRICS_PORT));
  return {
    redisPort,
    redisUrl,
    worker: {
      ...config,
      coordinator: { ...objectAt(config, 'coordinator'), address: gateway },
      redis_url: redisUrl,
      server: { ...server, listen_addr: `${host}:${port}`, metrics_port: metricsPort },
    },
    workerUrl: `http://${host}:${port}`,
  };
}

/** The coordinator's configuration with queued requests: the step that takes them comes first. */
export function withBroker(config: JsonObject, redisUrl: string): JsonObject {
  const pipeline = objectAt(config, 'pipeline');
  const steps: readonly unknown[] = Array.isArray(pipeline['steps']) ? pipeline['steps'] : [];
  const own = steps.find(isBroker);
  const params = { ...(own === undefined ? {} : objectAt(own, 'params')), redis_url: redisUrl };
  const others = steps.filter((step) => !isBroker(step));
  return { ...config, pipeline: { ...pipeline, steps: [{ type: 'async-broker', params }, ...others] } };
}

function isBroker(step: unknown): step is JsonObject {
  return isObject(step) && step['type'] === 'async-broker';
}

/** Of `redis://host:6379` or `host:8081` the port. */
function portOf(address: unknown, usual: number): number {
  return typeof address === 'string' ? Number(/:(\d+)$/.exec(address)?.[1] ?? usual) : usual;
}
