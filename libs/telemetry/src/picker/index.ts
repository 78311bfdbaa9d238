export { PICKER_METRICS } from './picker-metric-catalogue.ts';
export { PickerAdminModule } from './picker-admin.module.ts';
export { PickerMetrics } from './picker-metrics.ts';
export { PickerTelemetry } from './exchange-telemetry.ts';
export { PoolGauges } from './pool-gauges.ts';
