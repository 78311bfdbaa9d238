import { defineFlags } from '#config';

/** A flag whose value may come from elsewhere, too: the configuration, the environment. */
const named = <const Name extends string>(name: Name) => ({ name, path: name }) as const;

/** The command line; names and defaults are upstream's (`sidecar.md` 13), but for the last group of ours. */
export const sidecarFlags = defineFlags([
  { ...named('port'), kind: 'text', value: 'PORT', default: '8000', help: 'Port of the first listener.' },
  { ...named('model-server-port'), kind: 'text', value: 'PORT', default: '8200', help: 'Port of the first engine.' },
  { ...named('vllm-port'), kind: 'text', value: 'PORT', help: 'Deprecated: --model-server-port.' },
  { ...named('data-parallel-size'), kind: 'integer', default: 1, help: 'Engines, each with a listener of its own.' },

  {
    ...named('kv-connector'),
    kind: 'text',
    value: 'NAME',
    default: 'nixlv2',
    help: 'nixlv2, shared-storage, sglang, mooncake or offloading.',
  },
  { ...named('ec-connector'), kind: 'text', value: 'NAME', help: 'ec-example or ec-nixl; no encode stage without.' },
  { ...named('mooncake-bootstrap-port'), kind: 'integer', default: 8998, help: 'Bootstrap port of prefill workers.' },
  {
    ...named('p2p-connector-port'),
    kind: 'integer',
    default: 7777,
    help: 'Port on which an engine of rank 0 hands blocks over.',
  },
  { ...named('enable-p2p-pull'), kind: 'switch', default: false, help: 'Pull cached prefixes; nixlv2 only.' },
  { ...named('prefill-max-retries'), kind: 'integer', default: 0, help: 'Repeats after 502, 503 or 504; nixlv2 only.' },
  { ...named('prefill-retry-backoff'), kind: 'text', value: 'TIME', default: '200ms', help: 'Pause before a repeat.' },
  {
    ...named('enable-prefiller-sampling'),
    kind: 'switch',
    default: false,
    help: 'Take any prefill candidate, not the first.',
  },
  {
    ...named('decode-chunk-size'),
    kind: 'integer',
    default: 0,
    help: 'Tokens of one decode call of a chat; 0: all in one.',
  },

  { ...named('secure-proxy'), kind: 'switch', default: true, help: 'Serve HTTPS.' },
  { ...named('cert-path'), kind: 'text', value: 'DIR', help: 'Folder with tls.crt and tls.key; else self-signed.' },
  { ...named('enable-tls'), kind: 'list', help: 'Stages called by HTTPS: prefiller, decoder, encoder.' },
  { ...named('tls-insecure-skip-verify'), kind: 'list', help: 'Stages whose certificate may be any.' },
  {
    ...named('max-idle-conns-per-host'),
    kind: 'integer',
    default: 1024,
    help: 'Idle connections kept to each worker.',
  },

  {
    ...named('enable-ssrf-protection'),
    kind: 'switch',
    default: false,
    help: 'Call only pods of --inference-pool.',
  },
  { ...named('inference-pool'), kind: 'text', value: 'NS/NAME', help: 'The pool; NAME alone is in default.' },
  {
    ...named('pool-group'),
    kind: 'text',
    value: 'GROUP',
    default: 'inference.networking.k8s.io',
    help: 'Its API group.',
  },

  { ...named('moriio-write-mode'), kind: 'switch', default: false, help: 'Prefill writes blocks to this engine.' },
  { ...named('moriio-parallel-dispatch'), kind: 'switch', default: false, help: 'Prefill and decode start together.' },
  {
    ...named('moriio-parallel-decode-wait-timeout'),
    kind: 'text',
    value: 'TIME',
    default: '30s',
    help: 'How long decode waits for prefill then.',
  },
  { ...named('moriio-local-pod-ip'), kind: 'text', value: 'HOST', help: 'This pod.' },
  { ...named('moriio-decode-notify-port'), kind: 'integer', default: 61005, help: 'Where decode is told of blocks.' },
  { ...named('moriio-prefill-notify-port'), kind: 'integer', default: 61005, help: 'Where prefill is.' },
  { ...named('moriio-decode-handshake-port'), kind: 'integer', default: 6301, help: 'Handshake port of decode.' },
  { ...named('moriio-prefill-handshake-port'), kind: 'integer', default: 6301, help: 'Handshake port of prefill.' },
  { ...named('moriio-tp-size'), kind: 'integer', default: 1, help: 'Tensor-parallel size.' },
  { ...named('moriio-dp-size'), kind: 'integer', default: 1, help: 'Data-parallel ranks, all pods together.' },
  { ...named('moriio-dp-size-local'), kind: 'integer', default: 0, help: 'Data-parallel ranks of a pod.' },
  { ...named('moriio-remote-hosts'), kind: 'list', help: 'Prefill pods.' },
  { ...named('moriio-decode-hosts'), kind: 'list', help: 'Decode pods.' },

  { name: 'configuration', kind: 'text', value: 'YAML', help: 'Settings as YAML or JSON; flags win.' },
  { name: 'configuration-file', kind: 'text', value: 'FILE', help: 'The same as a file; one of the two.' },
  { ...named('tracing'), kind: 'switch', default: false, help: 'Export spans.' },
  { ...named('metrics-port'), kind: 'integer', default: 0, help: 'Port of metrics; 0: none.' },
  {
    name: 'zap-log-level',
    kind: 'text',
    value: 'LEVEL',
    default: 'info',
    help: 'error, info, debug, or a number: 4 is debug, 5 all.',
  },
  { name: 'zap-devel', kind: 'switch', default: false, help: 'Accepted; logs are JSON lines.' },
  { name: 'zap-encoder', kind: 'text', help: 'Accepted; logs are JSON lines.' },
  { name: 'zap-stacktrace-level', kind: 'text', help: 'Accepted; errors have their stack.' },
  { name: 'zap-time-encoding', kind: 'text', help: 'Accepted; times are ISO 8601.' },

  {
    ...named('p2p-key-style'),
    kind: 'text',
    value: 'STYLE',
    default: 'seed',
    help: 'Keys of blocks that pods hand over: seed (prefill, decode, p2p) or current (remote_*), as the engine has them.',
  },
  { ...named('max-request-body-size'), kind: 'integer', default: 512, help: 'Largest request body in MiB.' },
  { ...named('drain-delay'), kind: 'text', value: 'TIME', default: '0s', help: 'From SIGTERM, all is served on.' },
  {
    ...named('shutdown-timeout'),
    kind: 'text',
    value: 'TIME',
    default: '60s',
    help: 'From SIGTERM; what is left then is broken off.',
  },
]);

/** Variables that stand for a flag which is neither given nor in the configuration (`sidecar.md` 13). */
export const FLAG_VARIABLES: Readonly<Record<string, string>> = {
  'mooncake-bootstrap-port': 'MOONCAKE_BOOTSTRAP_PORT',
  'p2p-connector-port': 'P2P_CONNECTOR_PORT',
  'enable-prefiller-sampling': 'ENABLE_PREFILLER_SAMPLING',
  'inference-pool': 'INFERENCE_POOL',
  'moriio-local-pod-ip': 'POD_IP',
};
