/** Where Envoy listens, which endpoint pickers there are, and where the coordinator is. */
export interface EnvoyTopology {
  readonly port: number;
  readonly coordinatorPort: number;
  /** The picker of each phase by its gRPC port; one port for all phases is one picker with three profiles. */
  readonly pickers: Readonly<Record<Profile, number>>;
}

type Profile = 'encode' | 'prefill' | 'decode';
type Section = Readonly<Record<string, unknown>>;

const PROFILES = ['encode', 'prefill', 'decode'] as const;
const NEVER = '86400s';
const EXT_PROC = 'envoy.filters.http.ext_proc';

/**
 * Envoy as the architecture has it (`epp.md` 1.11): a request with `EPP-Profile` goes to the endpoint that its picker names, any other to
 * the coordinator, past the pickers. Clients cannot choose a profile: the listener for them takes the header away.
 */
export function envoyConfig({ port, coordinatorPort, pickers }: EnvoyTopology, admin: number): Section {
  const ports = [...new Set(Object.values(pickers))];
  return {
    admin: { address: address(admin) },
    static_resources: {
      listeners: [listener(port, pickers)],
      clusters: [cluster('coordinator', coordinatorPort), originalDestination(), ...ports.map(pickerCluster)],
    },
  };
}

function listener(port: number, pickers: EnvoyTopology['pickers']): Section {
  const typed = {
    '@type': type('filters.network.http_connection_manager.v3.HttpConnectionManager'),
    stat_prefix: 'ingress',
    codec_type: 'AUTO',
    preserve_external_request_id: true,
    use_remote_address: true,
    normalize_path: true,
    merge_slashes: true,
    server_header_transformation: 'PASS_THROUGH',
    route_config: { name: 'routes', virtual_hosts: [{ name: 'all', domains: ['*'], routes: routes(pickers) }] },
    http_filters: [...pickerFilters(pickers), router()],
  };
  return {
    name: 'ingress',
    address: address(port),
    per_connection_buffer_limit_bytes: 32_768,
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: typed }] }],
  };
}

/** A route for each phase, or one for all where one picker has them all, and one for everything else, which no picker is asked about. */
function routes(pickers: EnvoyTopology['pickers']): readonly Section[] {
  const isOne = new Set(Object.values(pickers)).size === 1;
  const phases = isOne
    ? [route({ name: 'epp-profile', present_match: true }, pickers, pickers.decode)]
    : PROFILES.map((profile) =>
        route({ name: 'epp-profile', string_match: { exact: profile } }, pickers, pickers[profile]),
      );
  const rest = {
    match: { prefix: '/' },
    route: { cluster: 'coordinator', timeout: NEVER, idle_timeout: NEVER },
    typed_per_filter_config: onlyPicker(pickers, undefined),
  };
  return [...phases, rest];
}

function route(header: Section, pickers: EnvoyTopology['pickers'], picker: number): Section {
  return {
    match: { prefix: '/', headers: [header] },
    route: { cluster: 'original_destination', timeout: NEVER, idle_timeout: NEVER },
    typed_per_filter_config: onlyPicker(pickers, picker),
  };
}

function onlyPicker(pickers: EnvoyTopology['pickers'], wanted: number | undefined): Section {
  const others = [...new Set(Object.values(pickers))].filter((port) => port !== wanted);
  const disabled = { '@type': type('filters.http.ext_proc.v3.ExtProcPerRoute'), disabled: true };
  return Object.fromEntries(others.map((port) => [filterName(port), disabled]));
}

function pickerFilters(pickers: EnvoyTopology['pickers']): readonly Section[] {
  return [...new Set(Object.values(pickers))].map((port) => ({
    name: filterName(port),
    typed_config: {
      '@type': type('filters.http.ext_proc.v3.ExternalProcessor'),
      grpc_service: { envoy_grpc: { cluster_name: `picker_${port}`, authority: 'picker' }, timeout: '10s' },
      message_timeout: '1000s',
      processing_mode: {
        request_header_mode: 'SEND',
        response_header_mode: 'SEND',
        request_body_mode: 'FULL_DUPLEX_STREAMED',
        response_body_mode: 'FULL_DUPLEX_STREAMED',
        request_trailer_mode: 'SEND',
        response_trailer_mode: 'SEND',
      },
    },
  }));
}

const filterName = (port: number): string => `${EXT_PROC}.${port}`;

function router(): Section {
  return {
    name: 'envoy.filters.http.router',
    typed_config: { '@type': type('filters.http.router.v3.Router'), suppress_envoy_headers: true },
  };
}

function originalDestination(): Section {
  return {
    name: 'original_destination',
    type: 'ORIGINAL_DST',
    lb_policy: 'CLUSTER_PROVIDED',
    connect_timeout: '10s',
    original_dst_lb_config: { use_http_header: true, http_header_name: 'x-gateway-destination-endpoint' },
    circuit_breakers: {
      thresholds: [{ max_connections: 40_000, max_pending_requests: 40_000, max_requests: 40_000 }],
    },
  };
}

function pickerCluster(port: number): Section {
  return {
    ...cluster(`picker_${port}`, port),
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': type('upstreams.http.v3.HttpProtocolOptions'),
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    transport_socket: {
      name: 'envoy.transport_sockets.tls',
      typed_config: {
        '@type': type('transport_sockets.tls.v3.UpstreamTlsContext'),
        common_tls_context: { alpn_protocols: ['h2'], validation_context: {} },
      },
    },
  };
}

function cluster(name: string, port: number): Section {
  const endpoint = { endpoint: { address: address(port) } };
  return {
    name,
    type: 'STATIC',
    connect_timeout: '5s',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [endpoint] }] },
  };
}

function address(port: number): Section {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}

const type = (name: string): string => `type.googleapis.com/envoy.extensions.${name}`;
