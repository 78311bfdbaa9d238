import type { DynamicModule } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server as TlsServer, TlsOptions } from 'node:tls';
import { createApp, tlsOptions, watchKeyPair, workerNumber } from '#runtime';
import type { JsonLogger } from '#telemetry';
import type { LoadedConfig } from './coordinator.config.ts';

/** Where to listen, and with which certificates: undefined is plain HTTP, an empty folder a self-signed certificate. */
export interface Listener {
  readonly host: string;
  readonly port: number;
  readonly certificates: string | undefined;
  /** Whether other processes listen there, too. */
  readonly isShared?: boolean;
}

/** An app that listens. */
export interface OpenListener {
  readonly app: NestFastifyApplication;
  /** As `http://127.0.0.1:8080`. */
  readonly url: string;
}

/** Opens a listener of this process. @throws ConfigError, or what binding a port says */
export async function openListener(
  module: DynamicModule,
  logger: JsonLogger,
  { config }: LoadedConfig,
  { host, port, certificates, isShared = false }: Listener,
): Promise<OpenListener> {
  const { server } = config;
  const tls = certificates === undefined ? undefined : await tlsOptions(tlsSettings(config, certificates));
  const app = await createApp(module, { logger, readTimeout: server.read_timeout, ...optional(tls) });
  await app.init();
  const fastify = app.getHttpAdapter().getInstance();
  const reuse = isShared ? { reusePort: true } : {};
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

/**
 * The listener of metrics and admin, or undefined where there is none. A worker has its own on loopback, for the process that supervises
 * it and answers for all on the configured port.
 */
export async function openAdminListener(
  module: DynamicModule,
  logger: JsonLogger,
  loaded: LoadedConfig,
): Promise<OpenListener | undefined> {
  const { metrics_port: port, metrics_cert_dir: folder } = loaded.config.server;
  if (port <= 0) {
    new Logger('coordinator').log('metrics endpoint disabled');
    return undefined;
  }
  const own = { host: '127.0.0.1', port: 0, certificates: undefined };
  const shown = { host: '', port, certificates: folder === '' ? undefined : folder };
  return openListener(module, logger, loaded, workerNumber() === undefined ? shown : own);
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
