import { ACCESS_LOG } from './access-log.ts';
import { TRACE_FILTER } from './envoy-trace.ts';

/** Where Envoy listens, which endpoint pickers there are, and where the coordinator is. */
export interface EnvoyTopology {
  readonly port: number;
  /** Undefined where there is no coordinator: every request goes to the picker, as before decode workers with a sidecar. */
  readonly coordinatorPort?: number;
  /** Further instances of the coordinator. Each is asked at `/readyz`, and so left alone while it drains. */
  readonly coordinatorReplicas?: readonly number[];
  /** The picker of each phase by its gRPC port; one port for all phases is one picker with three profiles. */
  readonly pickers: Readonly<Record<Profile, number>>;
  /** Where clients come in who are not to choose a profile; undefined: at `port`, where `EPP-Profile` leads past the coordinator. */
  readonly clientPort?: number;
  /** Further instances of the picker of all phases. Each is asked for its health, and needs `--health-checking` for that. */
  readonly replicas?: readonly number[];
  /** A request header that becomes the subset hint (`epp.md` 1.10): a `google.protobuf.Value` with a list, in base64. */
  readonly subsetHeader?: string;
  /** Whether each request is given a span of Envoy's own, which its picker and its worker go on with. */
  readonly beginsTraces?: boolean;
  /** Whether requests are written to its output as they end (`access-log.ts`). */
  readonly logsAccess?: boolean;
}

type Profile = 'encode' | 'prefill' | 'decode';
type Section = Readonly<Record<string, unknown>>;

const PROFILES = ['encode', 'prefill', 'decode'] as const;
const NEVER = '86400s';
const PROFILE = 'epp-profile';
const PIN = 'x-llm-d-pin-host-port';
/** What would have a client choose its phase or its pod. */
const CLIENTS_LOSE = [PROFILE, PIN];
const EXT_PROC = 'envoy.filters.http.ext_proc';
const SUBSET_NAMESPACE = 'envoy.lb.subset_hint';
const SUBSET = 'x-gateway-destination-endpoint-subset';

/**
 * Envoy as the architecture has it (`epp.md` 1.11): a request with `EPP-Profile` goes to the endpoint that its picker names, any other to
 * the coordinator, past the pickers. Clients can choose neither profile nor endpoint at the listener that is for them alone: it takes the
 * headers away.
 */
export function envoyConfig(topology: EnvoyTopology, admin: number): Section {
  const { port, clientPort, pickers, replicas = [], logsAccess = false } = topology;
  const ports = [...new Set(Object.values(pickers))];
  const log = logsAccess ? [ACCESS_LOG] : [];
  const clients = clientPort === undefined ? [] : [clientListener(clientPort, log)];
  return {
    admin: { address: address(admin) },
    static_resources: {
      listeners: [
        ...clients,
        listener('ingress', port, { routes: routes(topology), http_filters: filters(topology), access_log: log }, {}),
      ],
      clusters: [
        ...coordinatorCluster(topology),
        originalDestination(),
        ...ports.map((own) => pickerCluster(own, replicas)),
      ],
    },
  };
}

function clientListener(port: number, log: readonly Section[]): Section {
  const taken = { request_headers_to_remove: CLIENTS_LOSE };
  const served = { routes: [toCoordinator({})], http_filters: [router()], access_log: log };
  return listener('clients', port, served, taken);
}

interface Served {
  readonly routes: readonly Section[];
  readonly http_filters: readonly Section[];
  readonly access_log: readonly Section[];
}

function listener(name: string, port: number, served: Served, changes: Section): Section {
  const typed = {
    '@type': type('filters.network.http_connection_manager.v3.HttpConnectionManager'),
    stat_prefix: name,
    codec_type: 'AUTO',
    preserve_external_request_id: true,
    use_remote_address: true,
    normalize_path: true,
    merge_slashes: true,
    server_header_transformation: 'PASS_THROUGH',
    route_config: { name, virtual_hosts: [{ name: 'all', domains: ['*'], routes: served.routes }], ...changes },
    http_filters: served.http_filters,
    access_log: served.access_log,
  };
  return {
    name,
    address: address(port),
    per_connection_buffer_limit_bytes: 32_768,
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: typed }] }],
  };
}

/** A route for each phase, or one for all where one picker has them all, and one for everything else, which no picker is asked about. */
function routes({ pickers, coordinatorPort }: EnvoyTopology): readonly Section[] {
  if (coordinatorPort === undefined) return [route([], pickers, pickers.decode)];
  const isOne = new Set(Object.values(pickers)).size === 1;
  const phases = isOne
    ? [route([{ name: PROFILE, present_match: true }], pickers, pickers.decode)]
    : PROFILES.map((profile) =>
        route([{ name: PROFILE, string_match: { exact: profile } }], pickers, pickers[profile]),
      );
  return [...phases, toCoordinator(onlyPicker(pickers, undefined))];
}

function toCoordinator(perFilter: Section): Section {
  return {
    match: { prefix: '/' },
    route: { cluster: 'coordinator', timeout: NEVER, idle_timeout: NEVER },
    typed_per_filter_config: perFilter,
  };
}

function route(headers: readonly Section[], pickers: EnvoyTopology['pickers'], picker: number): Section {
  return {
    match: { prefix: '/', headers },
    route: { cluster: 'original_destination', timeout: NEVER, idle_timeout: NEVER },
    typed_per_filter_config: onlyPicker(pickers, picker),
  };
}

function onlyPicker(pickers: EnvoyTopology['pickers'], wanted: number | undefined): Section {
  const others = [...new Set(Object.values(pickers))].filter((port) => port !== wanted);
  const disabled = { '@type': type('filters.http.ext_proc.v3.ExtProcPerRoute'), disabled: true };
  return Object.fromEntries(others.map((port) => [filterName(port), disabled]));
}

function filters({ pickers, subsetHeader, beginsTraces = false }: EnvoyTopology): readonly Section[] {
  const hint = subsetHeader === undefined ? [] : [subsetHint(subsetHeader)];
  return [...(beginsTraces ? [TRACE_FILTER] : []), ...hint, ...pickerFilters(pickers), router()];
}

function subsetHint(header: string): Section {
  const value = { metadata_namespace: SUBSET_NAMESPACE, key: SUBSET, type: 'PROTOBUF_VALUE', encode: 'BASE64' };
  return {
    name: 'envoy.filters.http.header_to_metadata',
    typed_config: {
      '@type': type('filters.http.header_to_metadata.v3.Config'),
      request_rules: [{ header, on_header_present: value, remove: true }],
    },
  };
}

function pickerFilters(pickers: EnvoyTopology['pickers']): readonly Section[] {
  return [...new Set(Object.values(pickers))].map((port) => ({
    name: filterName(port),
    typed_config: {
      '@type': type('filters.http.ext_proc.v3.ExternalProcessor'),
      grpc_service: { envoy_grpc: { cluster_name: `picker_${port}`, authority: 'picker' }, timeout: '10s' },
      message_timeout: '1000s',
      // a picker that cannot be asked is no fault of the request, which may be sent again
      status_on_error: { code: 'ServiceUnavailable' },
      metadata_options: { forwarding_namespaces: { untyped: [SUBSET_NAMESPACE] } },
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
    circuit_breakers: WIDE_OPEN,
  };
}

function coordinatorCluster({ coordinatorPort, coordinatorReplicas = [] }: EnvoyTopology): readonly Section[] {
  if (coordinatorPort === undefined) return [];
  const check = { ...CHECKED, http_health_check: { path: '/readyz' } };
  const checks = coordinatorReplicas.length === 0 ? {} : { health_checks: [check] };
  return [{ ...cluster('coordinator', [coordinatorPort, ...coordinatorReplicas]), ...checks }];
}

function pickerCluster(port: number, replicas: readonly number[]): Section {
  const check = { ...CHECKED, grpc_health_check: { service_name: 'envoy.service.ext_proc.v3.ExternalProcessor' } };
  return {
    ...cluster(`picker_${port}`, [port, ...replicas]),
    ...(replicas.length === 0 ? {} : { health_checks: [check] }),
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

/** Each request is a stream to its picker for as long as it runs, so that Envoy's own 1024 a cluster would turn away the next one. */
const WIDE_OPEN = {
  thresholds: [{ max_connections: 40_000, max_pending_requests: 40_000, max_requests: 40_000 }],
};

/** So often that an instance which drains is left alone long before it takes no more. */
const CHECKED = {
  timeout: '2s',
  interval: '0.5s',
  no_traffic_interval: '0.5s',
  unhealthy_threshold: 2,
  healthy_threshold: 1,
};

function cluster(name: string, ports: readonly number[]): Section {
  const endpoints = ports.map((port) => ({ endpoint: { address: address(port) } }));
  return {
    name,
    type: 'STATIC',
    connect_timeout: '5s',
    circuit_breakers: WIDE_OPEN,
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: endpoints }] },
  };
}

function address(port: number): Section {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}

const type = (name: string): string => `type.googleapis.com/envoy.extensions.${name}`;
