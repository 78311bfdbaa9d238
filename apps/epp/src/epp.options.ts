import { ConfigError, duration, environment } from '#config';
import type { ConfigProblem, FlagValues } from '#config';
import { checkCipherSuites } from '#runtime';
import type { TlsSettings } from '#runtime';
import type { Endpoint, KubernetesTarget } from '#scheduling';
import { endpointList } from './endpoint-list.ts';
import type { eppFlags } from './epp.flags.ts';
import { objectiveList } from './objective-list.ts';
import { bytesOf } from './quantity.ts';

type Flags = FlagValues<typeof eppFlags>;

/** The command line, checked. Times are milliseconds. */
export interface EppOptions {
  readonly config: { readonly file: string | undefined; readonly text: string | undefined };
  readonly grpcPort: number;
  readonly healthPort: number;
  readonly metricsPort: number;
  readonly checksHealthOnGrpcPort: boolean;
  /** Bytes. */
  readonly maxReceived: number | undefined;
  readonly maxSent: number | undefined;
  /** Undefined for plain text. */
  readonly tls: TlsSettings | undefined;
  readonly reloadsCertificate: boolean;
  readonly kubernetes: KubernetesTarget | undefined;
  /** Undefined where they are found elsewhere. */
  readonly endpoints: readonly Endpoint[] | undefined;
  /** Priorities by the name of their objective. */
  readonly objectives: Readonly<Record<string, number>>;
  readonly heedsSubset: boolean;
  readonly emitsScores: boolean;
  readonly electsLeader: boolean;
  readonly scrapeInterval: number;
  readonly staleness: number;
  readonly metrics: {
    readonly certDir: string | undefined;
    readonly clientCaFile: string | undefined;
    readonly measuresStreams: boolean;
  };
  readonly tracing: boolean;
  readonly drainTimeout: number;
  readonly shutdownTimeout: number;
  /** 1 to 5. */
  readonly verbosity: number;
  /** What is accepted and does not do what it says. */
  readonly warnings: readonly string[];
}

const LEAST_SCRAPE_INTERVAL = 50;
/** The default. */
const POOL_GAUGE_INTERVAL = '5s';
const MAX_PORT = 65_535;
const MAX_TARGET_PORTS = 8;
const GONE = [
  'total-queued-requests-metric',
  'total-running-requests-metric',
  'kv-cache-usage-percentage-metric',
  'lora-info-metric',
  'cache-info-metric',
] as const;

/** @throws ConfigError with everything that is wrong, and every combination that makes no sense */
export function eppOptions(flags: Flags): EppOptions {
  const check = new FlagCheck(flags);
  const options = check.options();
  if (check.problems.length > 0) {
    throw new ConfigError('the command line is invalid (--help lists the flags)', check.problems);
  }
  return options;
}

class FlagCheck {
  readonly problems: ConfigProblem[] = [];
  private readonly warnings: string[] = [];

  constructor(private readonly flags: Flags) {}

  options(): EppOptions {
    const { flags } = this;
    this.checkGone();
    this.checkCombinations();
    return {
      config: { file: flags['config-file'], text: flags['config-text'] },
      grpcPort: this.port('grpc-port'),
      healthPort: this.port('grpc-health-port'),
      metricsPort: this.port('metrics-port'),
      checksHealthOnGrpcPort: flags['health-checking'],
      maxReceived: this.bytes('grpc-max-recv-msg-size'),
      maxSent: this.bytes('grpc-max-send-msg-size'),
      tls: this.tls(),
      reloadsCertificate: flags['enable-cert-reload'],
      kubernetes: this.kubernetes(),
      endpoints: this.endpoints(),
      objectives: this.objectives(),
      heedsSubset: !flags['disable-endpoint-subset-filter'],
      emitsScores: flags['emit-endpoint-scores'],
      electsLeader: flags['ha-enable-leader-election'],
      scrapeInterval: this.scrapeInterval(),
      staleness: this.time('metrics-staleness-threshold'),
      metrics: {
        certDir: flags['metrics-cert-dir'],
        clientCaFile: flags['metrics-client-ca-file'],
        measuresStreams: flags['enable-grpc-stream-metrics'],
      },
      tracing: flags.tracing,
      drainTimeout: this.time('drain-timeout'),
      shutdownTimeout: this.time('shutdown-timeout'),
      verbosity: Math.min(5, Math.max(1, flags.v)),
      warnings: this.warnings,
    };
  }

  private checkGone(): void {
    for (const name of GONE) {
      if (this.flags[name] !== undefined) {
        this.fault(name, 'is deprecated: name metrics in engineConfigs of core-metrics-extractor');
      }
    }
  }

  private checkCombinations(): void {
    const { flags } = this;
    if (flags['config-file'] !== undefined && flags['config-text'] !== undefined) {
      this.fault('config-text', 'cannot be used together with --config-file');
    }
    const hasCertDir = flags['metrics-cert-dir'] !== undefined;
    const hasClientCa = flags['metrics-client-ca-file'] !== undefined;
    if (hasClientCa && !hasCertDir) this.fault('metrics-client-ca-file', 'needs --metrics-cert-dir');
    if (hasCertDir && !hasClientCa && !flags['metrics-endpoint-auth']) {
      this.fault('metrics-cert-dir', 'needs --metrics-endpoint-auth or --metrics-client-ca-file');
    }
    if (flags['enable-cert-reload'] && flags['cert-path'] === undefined) {
      this.warnings.push('--enable-cert-reload has no effect without --cert-path');
    }
    this.checkMetrics();
  }

  /** What metrics are not kept from, and what of them is as it is whatever the flag says. */
  private checkMetrics(): void {
    const { flags } = this;
    this.time('refresh-prometheus-metrics-interval');
    const isInCluster = flags['pool-name'] !== undefined || flags['endpoint-selector'] !== undefined;
    if (isInCluster && flags['metrics-endpoint-auth'] && flags['metrics-client-ca-file'] === undefined) {
      this.warnings.push(
        '--metrics-endpoint-auth has no effect: tokens are not reviewed, and whoever reaches --metrics-port may read metrics ' +
          '(--metrics-client-ca-file asks for certificates)',
      );
    }
    if (flags['refresh-prometheus-metrics-interval'] !== POOL_GAUGE_INTERVAL) {
      this.warnings.push('--refresh-prometheus-metrics-interval has no effect: gauges are as they are at each scrape');
    }
  }

  private port(name: 'grpc-port' | 'grpc-health-port' | 'metrics-port'): number {
    const port = this.flags[name];
    if (port < 0 || port > MAX_PORT) this.fault(name, `expected a port from 0 to ${MAX_PORT}, got ${port}`);
    return port;
  }

  private bytes(name: 'grpc-max-recv-msg-size' | 'grpc-max-send-msg-size'): number | undefined {
    const text = this.flags[name];
    const bytes = text === undefined ? undefined : bytesOf(text);
    if (text !== undefined && bytes === undefined) this.fault(name, 'expected a size such as 10MiB, below 2GiB');
    return bytes;
  }

  private time(
    name:
      | 'refresh-metrics-interval'
      | 'refresh-prometheus-metrics-interval'
      | 'metrics-staleness-threshold'
      | 'drain-timeout'
      | 'shutdown-timeout',
  ): number {
    const { data, error } = duration().safeParse(this.flags[name]);
    if (error !== undefined) this.fault(name, error.issues[0]?.message ?? 'is no duration');
    return data ?? 0;
  }

  private scrapeInterval(): number {
    const interval = this.time('refresh-metrics-interval');
    if (interval >= LEAST_SCRAPE_INTERVAL) return interval;
    this.warnings.push(`--refresh-metrics-interval is raised to ${LEAST_SCRAPE_INTERVAL}ms`);
    return LEAST_SCRAPE_INTERVAL;
  }

  private tls(): TlsSettings | undefined {
    const { flags } = this;
    const minVersion = flags['tls-min-version'] ?? '';
    const cipherSuites = flags['tls-cipher-suites'] ?? [];
    this.collecting(() => {
      checkCipherSuites(cipherSuites);
    }, 'tls-cipher-suites');
    if (minVersion !== '' && minVersion !== 'VersionTLS12' && minVersion !== 'VersionTLS13') {
      this.fault('tls-min-version', 'expected VersionTLS12 or VersionTLS13');
      return undefined;
    }
    return flags['secure-serving'] ? { folder: flags['cert-path'] ?? '', minVersion, cipherSuites } : undefined;
  }

  private kubernetes(): KubernetesTarget | undefined {
    const { flags } = this;
    const name = flags['pool-name'];
    const selector = flags['endpoint-selector'];
    const namespace = flags['pool-namespace'] ?? environment()['NAMESPACE'] ?? 'default';
    if (name !== undefined && selector !== undefined) {
      this.fault('pool-name', 'either pool-name or endpoint-selector must be set');
    }
    const ports = this.targetPorts(selector !== undefined);
    if (name !== undefined) return { kind: 'pool', name, namespace, group: flags['pool-group'] };
    return selector === undefined ? undefined : { kind: 'selector', selector, ports, namespace };
  }

  private targetPorts(isNeeded: boolean): readonly number[] {
    const given = this.flags['endpoint-target-ports'] ?? [];
    const ports = [...new Set(given.map(Number))];
    const isRight = ports.every((port) => Number.isInteger(port) && port > 0 && port <= MAX_PORT);
    if (!isRight || ports.length > MAX_TARGET_PORTS || (isNeeded && ports.length === 0)) {
      this.fault('endpoint-target-ports', `expected 1 to ${MAX_TARGET_PORTS} ports`);
    }
    return ports;
  }

  private endpoints(): readonly Endpoint[] | undefined {
    const given = this.flags.endpoints;
    if (given === undefined) return undefined;
    if (this.flags['pool-name'] !== undefined || this.flags['endpoint-selector'] !== undefined) {
      this.fault('endpoints', 'cannot be used together with --pool-name or --endpoint-selector');
    }
    return this.collecting(() => endpointList(given), 'endpoints');
  }

  private objectives(): Readonly<Record<string, number>> {
    return this.collecting(() => objectiveList(this.flags.objectives ?? []), 'objectives') ?? {};
  }

  private collecting<T>(check: () => T, name: string): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (error.problems.length > 0) this.problems.push(...error.problems);
      else this.fault(name, error.message);
      return undefined;
    }
  }

  private fault(flag: string, message: string): void {
    this.problems.push({ path: `--${flag}`, message });
  }
}
