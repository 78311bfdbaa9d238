import { listenAddress } from '#config';
import type { TlsSettings } from '#runtime';
import type { OptionChecks } from './option.checks.ts';
import { portRange } from './port-range.ts';
import type { SettingSources } from './setting.sources.ts';
import type { SidecarOptions } from './sidecar.options.ts';

/** Below TLS 1.3, whose suites are not chosen (`sidecar.md` 1.3). */
const CIPHER_SUITES = ['ECDSA', 'RSA'].flatMap((key) => [
  `TLS_ECDHE_${key}_WITH_AES_128_GCM_SHA256`,
  `TLS_ECDHE_${key}_WITH_AES_256_GCM_SHA384`,
  `TLS_ECDHE_${key}_WITH_CHACHA20_POLY1305_SHA256`,
]);

/** Where the sidecar listens, and for whom. @param size listeners, one for each engine */
export function listeningOptions(
  checks: OptionChecks,
  size: number,
): Pick<SidecarOptions, 'port' | 'modelServerPort' | 'tls' | 'metricsAddress'> {
  return {
    port: portFrom(checks, 'port', checks.sources.text('port') ?? '', size),
    modelServerPort: enginePort(checks, size),
    tls: tlsOf(checks.sources),
    metricsAddress: metricsOf(checks),
  };
}

/** `--model-server-port` and the name it had before; a flag wins over the configuration, whichever name it has. */
function enginePort(checks: OptionChecks, size: number): number {
  const { sources } = checks;
  const names = ['model-server-port', 'vllm-port'] as const;
  const isGiven = (origin: 'flag' | 'configuration') => names.find((name) => sources.origin(name) === origin);
  const name = isGiven('flag') ?? isGiven('configuration') ?? 'model-server-port';
  if (names.some((each) => each === 'vllm-port' && sources.origin(each) !== undefined)) {
    checks.warnings.push('--vllm-port is deprecated: use --model-server-port');
  }
  return portFrom(checks, name, sources.text(name) ?? '', size);
}

function portFrom(
  checks: OptionChecks,
  flag: 'port' | 'model-server-port' | 'vllm-port',
  text: string,
  size: number,
): number {
  // what is wrong with the number of ranks is told once
  const port = portRange(`--${flag}`, text, Math.max(1, size));
  if (typeof port === 'number') return port;
  checks.fault(flag, port);
  return 0;
}

function tlsOf(sources: SettingSources): TlsSettings | undefined {
  if (!sources.isOn('secure-proxy')) return undefined;
  return { folder: sources.text('cert-path') ?? '', minVersion: 'VersionTLS12', cipherSuites: CIPHER_SUITES };
}

function metricsOf(checks: OptionChecks): SidecarOptions['metricsAddress'] {
  const port = checks.sources.integer('metrics-port');
  if (port > 65_535) checks.fault('metrics-port', `--metrics-port must be a port, got ${port}`);
  if (port > 0) return { host: '', port };
  const { data } = listenAddress().safeParse(checks.sources.variable('MORIIO_METRICS_ADDR'));
  return data;
}
