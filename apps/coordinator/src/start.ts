import type { DynamicModule } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server as TlsServer, TlsOptions } from 'node:tls';
import { configHash, environment, renderEffective } from '#config';
import { Lifecycle } from '#foundation';
import { PipelineService } from '#pipeline';
import {
  ReadinessService,
  Shutdown,
  checkCipherSuites,
  createApp,
  tlsOptions,
  watchKeyPair,
  workerNumber,
} from '#runtime';
import { AdminModule, FlightRecorder, Metrics, Tracing, loadTracing } from '#telemetry';
import type { JsonLogger } from '#telemetry';
import type { LoadedConfig } from './coordinator.config.ts';
import { CoordinatorModule } from './coordinator.module.ts';
import { packageVersion } from './version.ts';

/** A coordinator that listens. */
export interface RunningCoordinator {
  readonly lifecycle: Lifecycle;
  /** Where the main listener is, as `http://127.0.0.1:8080`. */
  readonly url: string;
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
  const { app, url } = await openListener(module, logger, loaded, { ...server.listen_addr, certificates: tls });
  const lifecycle = app.get(Lifecycle, { strict: false });
  const admin =
    server.metrics_port > 0
      ? await openListener(adminModule(loaded, app, { metrics, recorder, logger }), logger, loaded, {
          host: '',
          port: adminPort(server.metrics_port),
          certificates: server.metrics_cert_dir === '' ? undefined : server.metrics_cert_dir,
        })
      : undefined;
  if (admin === undefined) new Logger('coordinator').log('metrics endpoint disabled');
  const limits = { drainDelay: server.drain_delay, timeout: server.shutdown_timeout };
  const shutdown = new Shutdown(app, lifecycle, limits, async () => {
    await Promise.all([admin?.app.close(), sdk?.stop()]);
  });
  return { lifecycle, url, shutdown };
}

/** Each worker has a listener of its own: the first one on the configured port, the others on the ports behind it. */
function adminPort(configured: number): number {
  return configured + (workerNumber() ?? 1) - 1;
}

/** Where to listen, and with which certificates: undefined is plain HTTP, an empty folder a self-signed certificate. */
interface Listener {
  readonly host: string;
  readonly port: number;
  readonly certificates: string | undefined;
}

async function openListener(
  module: DynamicModule,
  logger: JsonLogger,
  { config }: LoadedConfig,
  { host, port, certificates }: Listener,
): Promise<{ readonly app: NestFastifyApplication; readonly url: string }> {
  const { server } = config;
  const tls = certificates === undefined ? undefined : await tlsOptions(tlsSettings(config, certificates));
  const app = await createApp(module, { logger, readTimeout: server.read_timeout, ...optional(tls) });
  await app.init();
  const fastify = app.getHttpAdapter().getInstance();
  const reuse = server.workers > 1 ? { reusePort: true } : {};
  const url = await fastify.listen({ host: host === '' ? '::' : host, port, ...reuse });
  if (tls !== undefined && certificates !== '') watchCertificate(app, certificates ?? '', tls);
  return { app, url };
}

function optional(tls: TlsOptions | undefined): { tls?: TlsOptions } {
  return tls === undefined ? {} : { tls };
}

function tlsSettings({ server }: LoadedConfig['config'], folder: string) {
  return { folder, minVersion: server.tls_min_version, cipherSuites: server.tls_cipher_suites };
}

function adminModule(
  { config, effective }: LoadedConfig,
  app: NestFastifyApplication,
  parts: { readonly metrics: Metrics; readonly recorder: FlightRecorder; readonly logger: JsonLogger },
): DynamicModule {
  const readiness = app.get(ReadinessService, { strict: false });
  const lifecycle = app.get(Lifecycle, { strict: false });
  const { kv_connector, ec_connector, use_openai_format } = config.pipeline;
  return AdminModule.register({
    ...parts,
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

function watchCertificate(app: NestFastifyApplication, folder: string, tls: TlsOptions): void {
  const logger = new Logger('server');
  // an https listener is a tls.Server
  const listener = app.getHttpServer() as unknown as TlsServer;
  watchKeyPair(
    folder,
    (pair) => {
      // a new context forgets what is not said again
      listener.setSecureContext({ ...tls, ...pair });
      logger.log('certificate reloaded');
    },
    (error) => {
      logger.error({ err: error }, 'the new certificate cannot be used, the old one stays');
    },
  );
}
