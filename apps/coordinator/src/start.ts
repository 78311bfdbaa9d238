import type { LoggerService } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server as TlsServer } from 'node:tls';
import { Lifecycle } from '#foundation';
import { Shutdown, createApp, tlsOptions, watchKeyPair } from '#runtime';
import type { CoordinatorConfig, LoadedConfig } from './coordinator.config.ts';
import { CoordinatorModule } from './coordinator.module.ts';

/** A coordinator that listens. */
export interface RunningCoordinator {
  readonly app: NestFastifyApplication;
  readonly lifecycle: Lifecycle;
  /** Where the main listener is, as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly shutdown: Shutdown;
}

/** Starts a coordinator and opens its listener; it is not ready yet. @throws ConfigError, or what binding the port says */
export async function startCoordinator(loaded: LoadedConfig, logger: LoggerService): Promise<RunningCoordinator> {
  const { config, stepClasses } = loaded;
  const { server } = config;
  const tls = server.secure_serving ? await tlsOptions(tlsSettings(server)) : undefined;
  const app = await createApp(CoordinatorModule.register(config, stepClasses), {
    logger,
    readTimeout: server.read_timeout,
    ...(tls === undefined ? {} : { tls }),
  });
  await app.init();
  const { host, port } = server.listen_addr;
  const url = await app
    .getHttpAdapter()
    .getInstance()
    .listen({ host: host === '' ? '::' : host, port, ...(server.workers > 1 ? { reusePort: true } : {}) });
  if (tls !== undefined && server.cert_path !== '') watchCertificate(app, server.cert_path);
  const lifecycle = app.get(Lifecycle);
  const limits = { drainDelay: server.drain_delay, timeout: server.shutdown_timeout };
  return { app, lifecycle, url, shutdown: new Shutdown(app, lifecycle, limits) };
}

function tlsSettings(server: CoordinatorConfig['server']) {
  return {
    folder: server.cert_path,
    minVersion: server.tls_min_version,
    cipherSuites: server.tls_cipher_suites,
  };
}

function watchCertificate(app: NestFastifyApplication, folder: string): void {
  const logger = new Logger('server');
  // an https listener is a tls.Server
  const listener = app.getHttpServer() as unknown as TlsServer;
  watchKeyPair(
    folder,
    (pair) => {
      listener.setSecureContext(pair);
      logger.log('certificate reloaded');
    },
    (error) => {
      logger.error({ err: error }, 'the new certificate cannot be used, the old one stays');
    },
  );
}
