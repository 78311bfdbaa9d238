import type { KeyStyle, MoriioSettings, Stage } from '#disaggregation';
import type { TlsSettings } from '#runtime';
import type { PoolName } from './pool-name.ts';

/** `--kv-connector`. */
export const KV_CONNECTORS = ['nixlv2', 'shared-storage', 'sglang', 'mooncake', 'offloading'] as const;
export type KvConnectorName = (typeof KV_CONNECTORS)[number];

/** `--ec-connector`. */
export const EC_CONNECTORS = ['ec-example', 'ec-nixl'] as const;
export type EcConnectorName = (typeof EC_CONNECTORS)[number];

/** Where the pods are that may be called. */
export interface ProtectedPool extends PoolName {
  readonly group: string;
}

/** What the command line, the configuration and the environment come to. Times are milliseconds. */
export interface SidecarOptions {
  /** Of the base listener; the one of rank `r` is `port + r`. 0 is any free port, for tests. */
  readonly port: number;
  /** Of the engine of rank 0, likewise. */
  readonly modelServerPort: number;
  readonly dataParallelSize: number;
  readonly podIp: string | undefined;
  /** Undefined for plain HTTP. */
  readonly tls: TlsSettings | undefined;

  readonly kvConnector: KvConnectorName;
  /** Undefined where there is no encode stage. */
  readonly ecConnector: EcConnectorName | undefined;
  readonly keyStyle: KeyStyle;
  readonly p2pPort: number;
  readonly pullsPrefixes: boolean;
  readonly mooncakeBootstrapPort: number;
  readonly sglangBootstrapPort: number;
  readonly samplesPrefillers: boolean;
  readonly prefillRetries: number;
  readonly prefillRetryBackoff: number;
  /** Tokens; 0 where answers are not made in chunks. */
  readonly decodeChunkSize: number;
  readonly moriio: MoriioSettings;
  /** How long an address of a host of `moriio` counts as fresh, and how long a look-up may take. */
  readonly moriioDns: { readonly ttl: number; readonly timeout: number };

  readonly secureStages: ReadonlySet<Stage>;
  /** Stages whose certificate may be any. */
  readonly unverifiedStages: ReadonlySet<Stage>;
  readonly maxIdlePerHost: number;
  /** Undefined where every host may be called. */
  readonly pool: ProtectedPool | undefined;

  /** Bytes. */
  readonly maxBody: number;
  readonly drainDelay: number;
  readonly shutdownTimeout: number;
  /** Undefined where there are no metrics. */
  readonly metricsAddress: { readonly host: string; readonly port: number } | undefined;
  readonly tracing: boolean;
  /** 1 to 5. */
  readonly verbosity: number;
  /** What is accepted and does not do what it says. */
  readonly warnings: readonly string[];
  /** By the name of the flag, for people to read. */
  readonly effective: Readonly<Record<string, unknown>>;
}
