/** Configurations of the program under test, by pipeline: keys of the upstream coordinator only, so that a peer takes them too. */
const PIPELINES = {
  text: [{ type: 'render' }, { type: 'conditional-decode' }, { type: 'prefill' }, { type: 'decode' }],
  images: [{ type: 'render' }, { type: 'encode' }, { type: 'prefill' }, { type: 'decode' }],
  'images-generate': [{ type: 'render' }, { type: 'encode' }, { type: 'prefill' }, { type: 'decode' }],
  'fanout-8': [{ type: 'render' }, encode(8), { type: 'prefill' }, { type: 'decode' }],
  'fanout-64': [{ type: 'render' }, encode(64), { type: 'prefill' }, { type: 'decode' }],
  relay: [{ type: 'decode' }],
  // the floor reads the addresses alone
  sidecar: [{ type: 'decode' }],
  'sidecar-nixlv2': [{ type: 'prefill' }, { type: 'decode' }],
};

/**
 * @param ports `{ main, metrics, upstream }`
 * @param extra what a variant changes: top-level keys, and `server` merged
 */
export function coordinatorConfig(pipeline, ports, extra = {}) {
  const upstream = `http://127.0.0.1:${ports.upstream}`;
  const steps = PIPELINES[pipeline].map((step) =>
    step.type === 'render' ? { ...step, params: { address: upstream, max_idle_conns_per_host: 1_000 } } : step,
  );
  return {
    log_level: 1,
    ...extra,
    server: {
      listen_addr: `127.0.0.1:${ports.main}`,
      metrics_port: ports.metrics,
      secure_serving: false,
      ...extra.server,
    },
    gateway: { address: upstream, max_idle_conns_per_host: 1_000 },
    pipeline: {
      kv_connector: 'kv-nixl',
      ec_connector: 'ec-nixl',
      use_openai_format: pipeline !== 'images-generate',
      steps,
    },
  };
}

function encode(max) {
  return { type: 'encode', params: { max_parallel: max } };
}
