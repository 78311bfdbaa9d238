export { BrokerTelemetry } from './broker-telemetry.ts';
