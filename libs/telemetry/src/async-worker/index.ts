export { ASYNC_WORKER_ATTRIBUTES } from './async-worker-attributes.ts';
export { ASYNC_WORKER_METRICS } from './async-worker-metric-catalogue.ts';
export { AsyncWorkerMetrics } from './async-worker-metrics.ts';
export { ASYNC_WORKER_SPANS } from './async-worker-span-catalogue.ts';
export type { AsyncWorkerSpanSpec } from './async-worker-span-catalogue.ts';
export { asyncWorkerTelemetry } from './async-worker-telemetry.ts';
export type { AsyncWorkerTelemetry } from './async-worker-telemetry.ts';
