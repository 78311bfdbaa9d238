import { defineFlags } from '#config';

/** The command line. */
export const asyncWorkerFlags = defineFlags([
  { name: 'config', kind: 'text', value: 'FILE', default: 'config/async-worker.yaml', help: 'Configuration file.' },
  { name: 'v', kind: 'integer', path: 'log_level', help: 'Log verbosity, 1 to 5.' },
  { name: 'metrics-port', kind: 'integer', path: 'server.metrics_port', help: 'Port of metrics.' },
  { name: 'tracing', kind: 'switch', path: 'tracing', help: 'Export spans.' },
]);
