export { BrokerTelemetry } from './broker-telemetry.ts';
export { QueueView } from './queue-view.ts';
