import { Logger } from '@nestjs/common';
import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ServerCredentials, logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { ConfigError } from '#config';
import { loadProtos } from '#ext-proc';
import { Lifecycle } from '#foundation';
import { areSpoken, buildPicker, DecisionLog, EndpointStore, loadPickerConfig, timedPicker } from '#scheduling';
import { NoExchangeObservers } from '#scheduling';
import type { ExchangeObservers, PickerParts, PluginClass, PluginTimers } from '#scheduling';
import { chosenDiscovery, startDiscovery, startObjectives } from './discovery.choice.ts';
import type { ChosenDiscovery, KubernetesDiscovery, ObjectivesSource } from './discovery.choice.ts';
import { Drain } from './drain.ts';
import { EppModule } from './epp.module.ts';
import type { EppOptions } from './epp.options.ts';
import { ExtProcService } from './ext-proc/ext-proc.service.ts';
import { GrpcListener } from './grpc-listener.ts';
import type { ServedService } from './grpc-listener.ts';
import { HealthService, NoLeadership } from './health.service.ts';
import type { Leadership, PoolCompatibility } from './health.service.ts';
import { openCredentials } from './tls-credentials.ts';

/** What there is of a picker before it listens. */
export interface EppInside {
  readonly options: EppOptions;
  readonly config: ReturnType<typeof loadPickerConfig>;
  readonly picker: PickerParts;
  readonly endpoints: EndpointStore;
  readonly app: INestApplicationContext;
  readonly decisions: DecisionLog;
}

/** Runs beside the picker until it is closed: what scrapes endpoints, a page of metrics. */
export type Companion = (
  inside: EppInside,
) => Promise<{ close(): Promise<void> | void }> | { close(): Promise<void> | void };

/** What a picker is made of beside its options. */
export interface EppSurroundings {
  /** Plugin types that the configuration may name. */
  readonly plugins: readonly PluginClass<never>[];
  readonly logger: LoggerService;
  /** Makes who watches exchanges; undefined where nobody does. */
  readonly observe?: (inside: Pick<EppInside, 'options' | 'picker' | 'endpoints'>) => ExchangeObservers;
  /** Undefined where plugins are not timed. */
  readonly timers?: PluginTimers;
  /** Undefined where Kubernetes cannot be asked. */
  readonly askKubernetes?: KubernetesDiscovery;
  readonly askObjectives?: ObjectivesSource;
  /** Undefined where replicas cannot elect a leader. */
  readonly leadership?: Leadership;
  /** Started in this order before the listeners, closed behind them. */
  readonly companions?: readonly Companion[];
  /** What becomes of a discovery that fails once requests are served. */
  readonly onDiscoveryFailure: (error: unknown) => void;
}

/** A picker that listens. */
export interface RunningEpp {
  readonly port: number;
  readonly healthPort: number;
  readonly endpoints: EndpointStore;
  readonly picker: PickerParts;
  readonly drain: Drain;
}

/** Milliseconds between two looks at the certificate's files. */
const CERTIFICATE_LOOK = 5_000;

/**
 * Starts a picker: configuration, endpoints, listeners.
 * @throws ConfigError, or Error when a port cannot be bound or the first load of endpoints fails
 */
export async function startEpp(options: EppOptions, surroundings: EppSurroundings): Promise<RunningEpp> {
  const logger = new Logger('epp');
  const warn = (message: string): void => {
    logger.warn(message);
  };
  for (const warning of options.warnings) warn(warning);
  const endpoints = new EndpointStore();
  const config = loadPickerConfig(options.config, warn);
  const built = buildPicker(config, { classes: surroundings.plugins, endpoints, warn });
  const { observe, timers } = surroundings;
  const picker = timers === undefined ? built : timedPicker(built, timers);
  const decisions = new DecisionLog();
  const discovery = chosenDiscovery(options, picker.discovery, surroundings.askKubernetes);
  const priorities = startObjectives(options, surroundings.askObjectives, surroundings.onDiscoveryFailure);
  const app = await NestFactory.createApplicationContext(
    EppModule.register({
      picker,
      endpoints,
      decisions,
      objectives: priorities.objectives,
      observers: observe?.({ options, picker, endpoints }) ?? new NoExchangeObservers(),
      leadership: leadershipOf(options, surroundings.leadership),
      pool: compatibility(picker, discovery),
      exchange: { heedsSubset: options.heedsSubset, emitsScores: options.emitsScores },
    }),
    { logger: surroundings.logger, abortOnError: false },
  );
  const companions: Awaited<ReturnType<Companion>>[] = [];
  for (const companion of surroundings.companions ?? []) {
    companions.push(await companion({ options, config, picker, endpoints, app, decisions }));
  }
  await startDiscovery(discovery, endpoints, surroundings.onDiscoveryFailure);
  const { main, health, closeCredentials } = await openListeners(options, app);
  const lifecycle = app.get(Lifecycle);
  lifecycle.advance('serving');
  const drain = new Drain(lifecycle, options, {
    main,
    health,
    closeRest: async () => {
      closeCredentials();
      await Promise.all([discovery.source.close(), priorities.close()]);
      for (const companion of companions.toReversed()) await companion.close();
      await app.close();
    },
  });
  return { port: main.port, healthPort: health.port, endpoints, picker, drain };
}

/** Makes everything that a configuration asks for, and nothing of it. @throws ConfigError with every problem */
export function checkConfiguration(options: EppOptions, plugins: EppSurroundings['plugins']): void {
  const nothing = (): void => undefined;
  leadershipOf(options, undefined);
  buildPicker(loadPickerConfig(options.config, nothing), {
    classes: plugins,
    endpoints: new EndpointStore(),
    warn: nothing,
  });
}

/** Asked anew each time: the pool may change what it speaks. */
function compatibility({ parsers }: PickerParts, { source }: ChosenDiscovery): PoolCompatibility {
  const plugins = parsers.map(({ plugin }) => plugin);
  return {
    get isCompatible() {
      return areSpoken(plugins, source.appProtocol);
    },
  };
}

/** @throws ConfigError when one is to be elected, and nothing here can */
function leadershipOf({ electsLeader }: EppOptions, given: Leadership | undefined): Leadership {
  if (!electsLeader) return new NoLeadership();
  if (given !== undefined) return given;
  throw new ConfigError('the command line is invalid (--help lists the flags)', [
    { path: '--ha-enable-leader-election', message: 'is not supported: leave it out, and every replica serves' },
  ]);
}

interface OpenListeners {
  readonly main: GrpcListener;
  readonly health: GrpcListener;
  readonly closeCredentials: () => void;
}

async function openListeners(options: EppOptions, app: INestApplicationContext): Promise<OpenListeners> {
  // it writes to the console, and what it has to say is thrown as well
  setLogVerbosity(logVerbosity.NONE);
  const protos = loadProtos();
  const health: ServedService = { definition: protos.health, methods: app.get(HealthService).methods };
  const process: ServedService = {
    definition: protos.externalProcessor,
    methods: { Process: app.get(ExtProcService).process },
  };
  const interval = options.reloadsCertificate ? CERTIFICATE_LOOK : undefined;
  const { credentials, close } = await openCredentials(options.tls, interval);
  const main = await GrpcListener.open({
    port: options.grpcPort,
    services: options.checksHealthOnGrpcPort ? [process, health] : [process],
    credentials,
    maxReceived: options.maxReceived,
    maxSent: options.maxSent,
  });
  const beside = { port: options.healthPort, services: [health], credentials: ServerCredentials.createInsecure() };
  return { main, health: await GrpcListener.open(beside), closeCredentials: close };
}
