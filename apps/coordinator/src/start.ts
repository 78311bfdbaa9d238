import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { configHash, environment, renderEffective } from '#config';
import { Lifecycle } from '#foundation';
import { PipelineService } from '#pipeline';
import { ReadinessService, Shutdown, checkCipherSuites, workerNumber } from '#runtime';
import { AdminModule, FlightRecorder, Metrics, Tracing, loadTracing } from '#telemetry';
import type { AdminSources, JsonLogger } from '#telemetry';
import { brokerQueues } from './broker-queues.ts';
import type { LoadedConfig } from './coordinator.config.ts';
import { CoordinatorModule } from './coordinator.module.ts';
import { openAdminListener, openListener } from './listener.ts';
import { packageVersion } from './version.ts';

/** A coordinator that listens. */
export interface RunningCoordinator {
  readonly lifecycle: Lifecycle;
  /** Where the main listener is, as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Where metrics and admin are, likewise. */
  readonly adminUrl: string | undefined;
  readonly shutdown: Shutdown;
}

/** Starts a coordinator and opens its listeners; it is not ready yet. @throws ConfigError, or what binding a port says */
export async function startCoordinator(loaded: LoadedConfig, logger: JsonLogger): Promise<RunningCoordinator> {
  const { config, stepClasses } = loaded;
  const { server } = config;
  checkCipherSuites(server.tls_cipher_suites);
  const metrics = new Metrics(config.metrics.known_models);
  const recorder = new FlightRecorder();
  const sdk = await loadTracing(config.tracing, packageVersion());
  describeProcess(metrics, loaded);
  const module = CoordinatorModule.register(config, {
    stepClasses,
    ...(config.metrics.enabled
      ? { telemetry: { metrics, recorder, tracing: new Tracing(sdk?.tracer), verbosity: logger.verbosity } }
      : {}),
    onReadiness: (name, isUp) => {
      metrics.on.readiness.set([name], isUp ? 1 : 0);
    },
  });
  const tls = server.secure_serving ? server.cert_path : undefined;
  const isShared = server.workers > 1;
  const { app, url } = await openListener(module, logger, loaded, {
    ...server.listen_addr,
    certificates: tls,
    isShared,
  });
  const lifecycle = app.get(Lifecycle, { strict: false });
  const queues = brokerQueues(config, app);
  const watch = config.metrics.enabled && isFirst() ? queues?.watch(metrics) : undefined;
  const parts = { metrics, recorder, logger, queues: queues && (() => queues.list()) };
  const admin = await openAdminListener(adminModule(loaded, app, parts), logger, loaded);
  const limits = { drainDelay: server.drain_delay, timeout: server.shutdown_timeout };
  const shutdown = new Shutdown(app, lifecycle, limits, async () => {
    watch?.close();
    await Promise.all([admin?.app.close(), sdk?.stop()]);
  });
  return { lifecycle, url, adminUrl: admin?.url, shutdown };
}

/** Of the workers of `server.workers`, which all see the same queues, one looks at them. */
function isFirst(): boolean {
  return (workerNumber() ?? 1) === 1;
}

function adminModule(
  { config, effective }: LoadedConfig,
  app: NestFastifyApplication,
  parts: Pick<AdminSources, 'metrics' | 'recorder' | 'logger' | 'queues'>,
): DynamicModule {
  const readiness = app.get(ReadinessService, { strict: false });
  const lifecycle = app.get(Lifecycle, { strict: false });
  const { kv_connector, ec_connector, use_openai_format } = config.pipeline;
  return AdminModule.register({
    ...parts,
    worker: workerNumber(),
    token: config.admin.token,
    effectiveConfig: renderEffective(effective),
    pipeline: {
      kv_connector,
      ec_connector,
      use_openai_format,
      steps: app.get(PipelineService, { strict: false }).stepTypes,
    },
    version: packageVersion(),
    readiness: () => ({ phase: lifecycle.phase, isReady: readiness.isReady, dependencies: readiness.states() }),
    drain: () => {
      lifecycle.advance('draining');
    },
  });
}

function describeProcess({ on }: Metrics, { effective }: LoadedConfig): void {
  on.buildInfo.set([packageVersion(), environment()['BUILD_COMMIT'] ?? 'unknown', process.version], 1);
  on.configInfo.set([configHash(effective)], 1);
}
