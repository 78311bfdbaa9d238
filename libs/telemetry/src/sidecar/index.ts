export { SIDECAR_METRICS } from './sidecar-metric-catalogue.ts';
export { SidecarMetricsModule } from './sidecar-metrics.module.ts';
export { SidecarMetrics } from './sidecar-metrics.ts';
export { SidecarRequests } from './sidecar-requests.ts';
export { SIDECAR_SPANS } from './sidecar-span-catalogue.ts';
export type { SidecarSpanSpec } from './sidecar-span-catalogue.ts';
export { SidecarTelemetry } from './sidecar-telemetry.ts';
export { StageTelemetry } from './stage-telemetry.interceptor.ts';
