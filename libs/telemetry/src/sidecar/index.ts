export { SIDECAR_ATTRIBUTES } from './sidecar-attributes.ts';
export { SIDECAR_METRICS } from './sidecar-metric-catalogue.ts';
export { SidecarMetrics } from './sidecar-metrics.ts';
export { SIDECAR_SPANS } from './sidecar-span-catalogue.ts';
export type { SidecarSpanSpec } from './sidecar-span-catalogue.ts';
export { sidecarTelemetry } from './sidecar-telemetry.ts';
export type { SidecarTelemetry } from './sidecar-telemetry.ts';
