type Section = Readonly<Record<string, unknown>>;

/** What differs from the configuration of `coordinatorConfig`, key by key. */
export interface ConfigChanges {
  readonly log_level?: number;
  readonly server?: Section;
  readonly admin?: Section;
  readonly gateway?: Section;
  readonly pipeline?: Section;
  /** Parameters of the async broker, which is there only with them. */
  readonly broker?: Section;
  /** Types of the steps in their order, in the place of all there are. */
  readonly steps?: readonly string[];
  /** Parameters of steps, by step type. */
  readonly params?: Readonly<Record<string, Section>>;
}

/** Every step there is, in front of a simulated cluster. */
export function coordinatorConfig(
  cluster: Readonly<Record<'gateway' | 'render', { readonly url: string }>>,
  port: number,
  changes: ConfigChanges = {},
): Section {
  const params: Readonly<Record<string, Section>> = {
    ...(changes.broker === undefined ? {} : { 'async-broker': changes.broker }),
    'replace-media-urls': { allowed_networks: ['127.0.0.0/8'] },
    render: { address: cluster.render.url },
    'conditional-decode': {},
    encode: {},
    prefill: {},
    decode: {},
  };
  const types = changes.steps ?? Object.keys(params);
  const steps = types.map((type) => ({ type, params: { ...params[type], ...changes.params?.[type] } }));
  return {
    log_level: changes.log_level ?? 1,
    server: { listen_addr: `127.0.0.1:${port}`, metrics_port: 0, warmup: '0s', ...changes.server },
    ...(changes.admin === undefined ? {} : { admin: changes.admin }),
    gateway: { address: cluster.gateway.url, ...changes.gateway },
    pipeline: { kv_connector: 'kv-nixl', ec_connector: 'ec-nixl', steps, ...changes.pipeline },
  };
}
