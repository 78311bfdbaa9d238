import { ConfigError } from '#config';
import type { Environment, ParsedFlags } from '#config';
import { callingOptions } from './calling.options.ts';
import { listeningOptions } from './listening.options.ts';
import { logVerbosity } from './log-verbosity.ts';
import { moriioSettings } from './moriio.options.ts';
import { OptionChecks } from './option.checks.ts';
import { SettingSources } from './setting.sources.ts';
import { readSidecarConfig } from './sidecar.config.ts';
import type { sidecarFlags } from './sidecar.flags.ts';
import { EC_CONNECTORS, KV_CONNECTORS } from './sidecar.options.ts';
import type { SidecarOptions } from './sidecar.options.ts';

const DEFAULT_BOOTSTRAP_PORT = 8998;
const MEBIBYTE = 1024 * 1024;
const WITHOUT_EFFECT = ['zap-encoder', 'zap-stacktrace-level', 'zap-time-encoding'] as const;

/** @throws ConfigError with everything that is wrong with the configuration, or else with the settings together (`sidecar.md` 13) */
export function readOptions(flags: ParsedFlags<typeof sidecarFlags>, env: Environment): SidecarOptions {
  const { configuration: text, 'configuration-file': file } = flags.values;
  if (text !== undefined && file !== undefined) {
    throw new ConfigError('flags --configuration and --configuration-file are mutually exclusive');
  }
  const checks = new OptionChecks(new SettingSources(flags, readSidecarConfig({ text, file }), env));
  const options = optionsOf(checks);
  checkTogether(checks, options);
  if (checks.problems.length > 0) {
    throw new ConfigError('the settings of the sidecar are invalid (--help lists the flags)', checks.problems);
  }
  return options;
}

function optionsOf(checks: OptionChecks): SidecarOptions {
  const { sources } = checks;
  const size = checks.least('data-parallel-size', 1);
  return {
    dataParallelSize: size,
    ...listeningOptions(checks, size),
    podIp: sources.variable('POD_IP'),
    ...connectorsOf(checks),
    ...prefillOf(checks),
    decodeChunkSize: checks.least('decode-chunk-size', 0),
    moriio: moriioSettings(checks),
    moriioDns: {
      ttl: seconds(sources, 'MORIIO_DNS_RESOLVE_TTL_SECONDS', 30),
      timeout: seconds(sources, 'MORIIO_DNS_RESOLVE_TIMEOUT_SECONDS', 5),
    },
    ...callingOptions(checks),
    maxBody: checks.least('max-request-body-size', 1, 2047) * MEBIBYTE,
    drainDelay: checks.time('drain-delay'),
    shutdownTimeout: checks.time('shutdown-timeout'),
    tracing: sources.isOn('tracing'),
    verbosity: verbosityOf(checks),
    warnings: checks.warnings,
    effective: sources.effective(),
  };
}

type Connectors = Pick<
  SidecarOptions,
  | 'kvConnector'
  | 'ecConnector'
  | 'keyStyle'
  | 'p2pPort'
  | 'pullsPrefixes'
  | 'mooncakeBootstrapPort'
  | 'sglangBootstrapPort'
>;

function connectorsOf(checks: OptionChecks): Connectors {
  const { sources } = checks;
  const ec = sources.text('ec-connector');
  return {
    kvConnector: checks.choice('kv-connector', KV_CONNECTORS, sources.text('kv-connector') ?? ''),
    ecConnector: ec === undefined ? undefined : checks.choice('ec-connector', EC_CONNECTORS, ec),
    keyStyle: checks.choice('p2p-key-style', ['seed', 'current'] as const, sources.text('p2p-key-style') ?? ''),
    p2pPort: checks.port('p2p-connector-port'),
    pullsPrefixes: sources.isOn('enable-p2p-pull'),
    mooncakeBootstrapPort: checks.port('mooncake-bootstrap-port'),
    sglangBootstrapPort: sources.integerVariable('SGLANG_BOOTSTRAP_PORT') ?? DEFAULT_BOOTSTRAP_PORT,
  };
}

function prefillOf(
  checks: OptionChecks,
): Pick<SidecarOptions, 'samplesPrefillers' | 'prefillRetries' | 'prefillRetryBackoff'> {
  return {
    samplesPrefillers: checks.sources.isOn('enable-prefiller-sampling'),
    prefillRetries: checks.least('prefill-max-retries', 0),
    prefillRetryBackoff: retryBackoff(checks),
  };
}

/** What makes no sense together. */
function checkTogether(checks: OptionChecks, options: SidecarOptions): void {
  const { kvConnector, dataParallelSize: size, p2pPort, keyStyle, prefillRetries, prefillRetryBackoff } = options;
  if (prefillRetries > 0 && prefillRetryBackoff <= 0) {
    checks.fault('prefill-retry-backoff', '--prefill-retry-backoff must be positive with --prefill-max-retries > 0');
  }
  if (options.pullsPrefixes && kvConnector !== 'nixlv2') {
    checks.fault('enable-p2p-pull', `--enable-p2p-pull requires --kv-connector=nixlv2 (got ${kvConnector})`);
  }
  if (kvConnector === 'offloading' && size > 1 && keyStyle === 'seed') {
    const both = `--kv-connector=offloading does not go with --data-parallel-size > 1 (got ${size})`;
    checks.fault('kv-connector', `${both}; an engine that reads --p2p-key-style=current has a port for each rank`);
  }
  if (size > 1 && p2pPort + size - 1 > 65_535) {
    checks.fault('p2p-connector-port', `--p2p-connector-port ${p2pPort} of the last of ${size} ranks exceeds 65535`);
  }
}

/** One in the configuration that is none is told of, and the default holds. */
function retryBackoff(checks: OptionChecks): number {
  const { sources, warnings } = checks;
  const flag = 'prefill-retry-backoff';
  if (sources.origin(flag) !== 'configuration') return checks.time(flag);
  const probe = new OptionChecks(sources);
  const time = probe.time(flag);
  if (probe.problems.length === 0) return time;
  warnings.push(`${flag} of the configuration is no duration; it stays ${sources.values[flag]}`);
  return 200;
}

function verbosityOf(checks: OptionChecks): number {
  const { values } = checks.sources;
  for (const flag of WITHOUT_EFFECT) {
    if (values[flag] !== undefined) checks.warnings.push(`--${flag} has no effect: logs are JSON lines`);
  }
  if (values['zap-devel']) checks.warnings.push('--zap-devel has no effect: logs are JSON lines');
  const verbosity = logVerbosity(values['zap-log-level']);
  if (verbosity === undefined) checks.fault('zap-log-level', 'expected error, info, debug, or a number such as 4');
  return verbosity ?? 2;
}

/** Milliseconds for a variable that holds a positive number of seconds. */
function seconds(sources: SettingSources, variable: string, otherwise: number): number {
  return (positive(sources.integerVariable(variable)) ?? otherwise) * 1000;
}

function positive(number: number | undefined): number | undefined {
  return number !== undefined && number > 0 ? number : undefined;
}
