import { defineFlags } from '#config';

/** The command line; names and defaults are upstream's (`epp.md` 8.1), but for `endpoints` and `shutdown-timeout`, which are ours. */
export const eppFlags = defineFlags([
  { name: 'config-file', kind: 'text', value: 'FILE', help: 'Configuration of plugins and profiles.' },
  { name: 'config-text', kind: 'text', value: 'YAML', help: 'The same as text; one of the two, or the default.' },

  { name: 'grpc-port', kind: 'integer', default: 9002, help: 'Port of ext_proc.' },
  { name: 'grpc-health-port', kind: 'integer', default: 9003, help: 'Port of gRPC health, in plain text.' },
  { name: 'metrics-port', kind: 'integer', default: 9090, help: 'Port of metrics.' },
  { name: 'health-checking', kind: 'switch', default: false, help: 'Serve health on the ext_proc port, too.' },
  { name: 'grpc-max-recv-msg-size', kind: 'text', value: 'SIZE', help: 'Largest message received, as 10MiB.' },
  { name: 'grpc-max-send-msg-size', kind: 'text', value: 'SIZE', help: 'Largest message sent, as 10MiB.' },
  { name: 'enable-grpc-stream-metrics', kind: 'switch', default: false, help: 'Measure ext_proc streams.' },

  { name: 'secure-serving', kind: 'switch', default: true, help: 'Serve ext_proc over TLS.' },
  { name: 'cert-path', kind: 'text', value: 'DIR', help: 'Folder with tls.crt and tls.key; else self-signed.' },
  { name: 'enable-cert-reload', kind: 'switch', default: false, help: 'Take new files in that folder as they come.' },
  { name: 'tls-min-version', kind: 'text', value: 'VERSION', help: 'VersionTLS12 or VersionTLS13.' },
  { name: 'tls-cipher-suites', kind: 'list', help: 'Cipher suites below TLS 1.3.' },

  { name: 'pool-name', kind: 'text', value: 'NAME', help: 'InferencePool whose pods are the endpoints.' },
  { name: 'pool-namespace', kind: 'text', value: 'NAME', help: 'Its namespace; else $NAMESPACE, else default.' },
  {
    name: 'pool-group',
    kind: 'text',
    value: 'GROUP',
    default: 'inference.networking.k8s.io',
    help: 'Its API group.',
  },
  { name: 'endpoint-selector', kind: 'text', value: 'SELECTOR', help: 'Labels of the pods, in place of a pool.' },
  { name: 'endpoint-target-ports', kind: 'list', help: 'Their ports, 1 to 8 of them.' },
  { name: 'endpoints', kind: 'list', help: 'Endpoints, for development: name=ip:port;role=decode,...' },
  { name: 'objectives', kind: 'list', help: 'Priorities of objectives, beside those in Kubernetes: batch=-1,...' },
  { name: 'disable-endpoint-subset-filter', kind: 'switch', default: false, help: 'Take no heed of subset hints.' },
  { name: 'ha-enable-leader-election', kind: 'switch', default: false, help: 'Refused: replicas elect no leader.' },

  { name: 'emit-endpoint-scores', kind: 'switch', default: false, help: 'Tell scores in dynamic metadata.' },
  { name: 'refresh-metrics-interval', kind: 'text', value: 'TIME', default: '50ms', help: 'Between two scrapes.' },
  {
    name: 'refresh-prometheus-metrics-interval',
    kind: 'text',
    value: 'TIME',
    default: '5s',
    help: 'Accepted; gauges are as they are at each scrape.',
  },
  {
    name: 'metrics-staleness-threshold',
    kind: 'text',
    value: 'TIME',
    default: '2s',
    help: 'Age at which what was scraped no longer counts.',
  },
  { name: 'metrics-endpoint-auth', kind: 'switch', default: true, help: 'Accepted; tokens are not reviewed.' },
  { name: 'metrics-cert-dir', kind: 'text', value: 'DIR', help: 'Folder with tls.crt and tls.key for metrics.' },
  { name: 'metrics-client-ca-file', kind: 'text', value: 'FILE', help: 'Who signs those that may read metrics.' },

  { name: 'drain-timeout', kind: 'text', value: 'TIME', default: '30s', help: 'From SIGTERM, still taking requests.' },
  {
    name: 'shutdown-timeout',
    kind: 'text',
    value: 'TIME',
    default: '1h',
    help: 'From SIGTERM; streams that are left then are broken off.',
  },
  { name: 'allow-experimental-plugins', kind: 'switch', default: false, help: 'Accepted; no plugin here asks for it.' },
  { name: 'tracing', kind: 'switch', default: true, help: 'Export spans.' },
  { name: 'enable-pprof', kind: 'switch', default: true, help: 'Accepted; there is no pprof here.' },
  { name: 'v', kind: 'integer', default: 2, help: 'Log verbosity, 1 to 5.' },

  { name: 'total-queued-requests-metric', kind: 'text', help: 'Gone: see engineConfigs.' },
  { name: 'total-running-requests-metric', kind: 'text', help: 'Gone: see engineConfigs.' },
  { name: 'kv-cache-usage-percentage-metric', kind: 'text', help: 'Gone: see engineConfigs.' },
  { name: 'lora-info-metric', kind: 'text', help: 'Gone: see engineConfigs.' },
  { name: 'cache-info-metric', kind: 'text', help: 'Gone: see engineConfigs.' },
]);
