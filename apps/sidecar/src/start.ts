import { Logger } from '@nestjs/common';
import type { LoggerService } from '@nestjs/common';
import { ConfigError } from '#config';
import { EveryHost, HostResolver, NoDisaggObserver } from '#disaggregation';
import type { DisaggObserver, ResolverEvent } from '#disaggregation';
import { Lifecycle } from '#foundation';
import type { UpstreamCallInterceptor } from '#gateway';
import { Shutdown } from '#runtime';
import { composeEntry } from './entry.composition.ts';
import { EngineClient } from './http/engine.client.ts';
import { openPoolAllowList } from './pool.allow-list.ts';
import type { OpenAllowList, PoolDiscovery } from './pool.allow-list.ts';
import { rankListeners } from './ranks.ts';
import { RankListeners } from './rank.listeners.ts';
import type { SidecarOptions } from './sidecar.options.ts';
import { closeClients, stageClients } from './stage.clients.ts';

/** Runs beside the sidecar until it is closed: a page of metrics, what exports spans. */
export type Companion = (inside: SidecarInside) => Promise<Closable> | Closable;

export interface SidecarInside {
  readonly options: SidecarOptions;
  readonly lifecycle: Lifecycle;
}

interface Closable {
  close(): Promise<void> | void;
}

/** What a sidecar is made of beside its options. Telemetry comes in here. */
export interface SidecarSurroundings {
  readonly logger: LoggerService;
  /** Asks Kubernetes for the pods that may be called. */
  readonly askKubernetes: PoolDiscovery;
  /** Undefined where nobody watches. */
  readonly observer?: DisaggObserver;
  /** Around each try of each call of every stage, outermost first. */
  readonly interceptors?: readonly UpstreamCallInterceptor[];
  /** Told of what becomes of the host names of `--moriio-*`. */
  readonly onResolverEvent?: (event: ResolverEvent) => void;
  /** Started in this order behind the listeners, closed when nothing is served any more. */
  readonly companions?: readonly Companion[];
  /** Milliseconds between two looks at the certificate's files. */
  readonly certificateLook?: number;
  /** Milliseconds for Kubernetes to say the pods for the first time. */
  readonly poolLimit?: number;
}

/** A sidecar that listens. */
export interface RunningSidecar {
  /** By rank, as `http://127.0.0.1:8000`. */
  readonly urls: ReadonlyMap<number, string>;
  readonly lifecycle: Lifecycle;
  readonly shutdown: Shutdown;
}

/**
 * Starts a sidecar: the pods that may be called, the listeners of all ranks, the base one last, then what stands beside them.
 * @throws ConfigError, or Error when a port cannot be bound; nothing is left running then
 */
export async function startSidecar(
  options: SidecarOptions,
  surroundings: SidecarSurroundings,
): Promise<RunningSidecar> {
  const logger = new Logger('sidecar');
  for (const warning of options.warnings) logger.warn(warning);
  logger.log({ config: options.effective }, 'starting');
  const opened = new AsyncDisposableStack();
  try {
    return await openSidecar(options, surroundings, opened);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** @param opened what is to be closed when nothing is served any more, the last one first */
async function openSidecar(
  options: SidecarOptions,
  surroundings: SidecarSurroundings,
  opened: AsyncDisposableStack,
): Promise<RunningSidecar> {
  const { logger, observer = new NoDisaggObserver(), interceptors = [], certificateLook } = surroundings;
  const lifecycle = new Lifecycle();
  const resolver = await hostResolver(options, surroundings);
  const pods = await openAllowList(options, surroundings);
  opened.defer(() => pods.close());
  const clients = stageClients(options, interceptors);
  opened.defer(() => {
    closeClients(clients);
  });
  const ranks = rankListeners(options);
  const entry = composeEntry(options, { clients, allowList: pods.list, resolver, listeners: ranks });
  const shared = { lifecycle, entry, engine: new EngineClient(clients.decode), observer, maxBody: options.maxBody };
  const listeners = await RankListeners.open({ ranks, tls: options.tls, logger, certificateLook }, shared);
  opened.defer(() => {
    listeners.unwatch();
  });
  try {
    for (const companion of surroundings.companions ?? []) {
      const running = await companion({ options, lifecycle });
      opened.defer(() => running.close());
    }
  } catch (error) {
    await listeners.close();
    throw error;
  }
  lifecycle.advance('serving');
  const limits = {
    drainDelay: options.drainDelay,
    timeout: options.shutdownTimeout,
    setting: '--shutdown-timeout',
  };
  const shutdown = new Shutdown(listeners.apps, lifecycle, limits, () => opened.disposeAsync());
  return { urls: listeners.urls, lifecycle, shutdown };
}

/** @throws ConfigError for a host that has no address */
async function hostResolver(
  { moriio, moriioDns }: SidecarOptions,
  { onResolverEvent }: SidecarSurroundings,
): Promise<HostResolver> {
  const resolver = new HostResolver(moriioDns, onResolverEvent);
  const hosts = {
    '--moriio-local-pod-ip': moriio.writeMode && moriio.podIp !== undefined ? [moriio.podIp] : [],
    '--moriio-remote-hosts': moriio.remoteHosts,
    '--moriio-decode-hosts': moriio.decodeHosts,
  };
  try {
    for (const [flag, names] of Object.entries(hosts)) await resolver.seed(flag, names);
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error), [], { cause: error });
  }
  return resolver;
}

async function openAllowList(
  { pool }: SidecarOptions,
  { askKubernetes, poolLimit }: SidecarSurroundings,
): Promise<OpenAllowList> {
  if (pool === undefined) return { list: new EveryHost(), close: () => undefined };
  return openPoolAllowList(pool, askKubernetes, poolLimit);
}
