export { JsonLogger } from './logger.ts';
export { telemetryConfig } from './telemetry.config.ts';
