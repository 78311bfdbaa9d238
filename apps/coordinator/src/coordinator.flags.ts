import { defineFlags } from '#config';

/** The command line; the flags of configuration keys are upstream's (`coordinator.md` G.1). */
export const coordinatorFlags = defineFlags([
  { name: 'config', kind: 'text', value: 'FILE', default: 'config/coordinator.yaml', help: 'Configuration file.' },
  { name: 'v', kind: 'integer', path: 'log_level', help: 'Log verbosity, 1 to 5.' },
  { name: 'metrics-port', kind: 'integer', path: 'server.metrics_port', help: 'Port of metrics and admin.' },
  {
    name: 'metrics-cert-dir',
    kind: 'text',
    value: 'DIR',
    path: 'server.metrics_cert_dir',
    help: 'Folder with tls.crt and tls.key for the metrics listener.',
  },
  { name: 'secure-serving', kind: 'switch', path: 'server.secure_serving', help: 'Serve HTTPS on the main listener.' },
  {
    name: 'cert-path',
    kind: 'text',
    value: 'DIR',
    path: 'server.cert_path',
    help: 'Folder with tls.crt and tls.key for the main listener.',
  },
  { name: 'tls-min-version', kind: 'text', path: 'server.tls_min_version', help: 'VersionTLS12 or VersionTLS13.' },
  { name: 'tls-cipher-suites', kind: 'list', path: 'server.tls_cipher_suites', help: 'Cipher suites below TLS 1.3.' },
  { name: 'tracing', kind: 'switch', path: 'tracing', help: 'Export spans.' },
]);
