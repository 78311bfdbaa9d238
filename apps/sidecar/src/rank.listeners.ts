import type { LoggerService } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server as TlsServer, TlsOptions } from 'node:tls';
import type { RankListener } from '#disaggregation';
import { createApp, tlsOptions, watchKeyPair } from '#runtime';
import type { TlsSettings } from '#runtime';
import { SidecarModule } from './sidecar.module.ts';
import type { SharedParts } from './sidecar.module.ts';

/** What listeners are opened with. */
export interface ListenerSettings {
  readonly ranks: readonly RankListener[];
  /** Undefined for plain HTTP. */
  readonly tls: TlsSettings | undefined;
  readonly logger: LoggerService;
  /** Milliseconds between two looks at the certificate's files; undefined: the usual. */
  readonly certificateLook?: number | undefined;
}

/** Milliseconds (`sidecar.md` 1.4). */
const HEAD_TIMEOUT = 30_000;
const IDLE_TIMEOUT = 300_000;

/** The listeners of all ranks, on all interfaces. */
export class RankListeners {
  readonly apps: NestFastifyApplication[] = [];
  /** By rank, as `http://127.0.0.1:8000`. */
  readonly urls = new Map<number, string>();
  private stopWatching: () => void = () => undefined;

  /**
   * Opens them, the base listener last: who finds it finds the others, too.
   * @throws ConfigError for a certificate that cannot be used, or what binding a port says; none is open then
   */
  static async open(settings: ListenerSettings, parts: SharedParts): Promise<RankListeners> {
    const listeners = new RankListeners();
    try {
      await listeners.openAll(settings, parts);
    } catch (error) {
      await listeners.close();
      throw error;
    }
    return listeners;
  }

  private async openAll({ ranks, tls, logger, certificateLook }: ListenerSettings, parts: SharedParts): Promise<void> {
    const options = tls === undefined ? undefined : await tlsOptions(tls);
    for (const rank of ranks.toSorted((a, b) => b.rank - a.rank)) {
      const app = await createApp(SidecarModule.register(rank, parts), {
        logger,
        readTimeout: 0,
        headTimeout: HEAD_TIMEOUT,
        idleTimeout: IDLE_TIMEOUT,
        ...(options === undefined ? {} : { tls: options }),
      });
      this.apps.push(app);
      await app.init();
      this.urls.set(rank.rank, await listen(app, rank.port));
    }
    if (tls !== undefined && options !== undefined && tls.folder !== '')
      this.watch(tls.folder, options, certificateLook);
  }

  /** Ends the watch over certificates. */
  unwatch(): void {
    this.stopWatching();
  }

  /** Closes all of it at once; where requests are served, `Shutdown` lets them end. */
  async close(): Promise<void> {
    this.unwatch();
    await Promise.all(this.apps.map((app) => app.close()));
  }

  private watch(folder: string, tls: TlsOptions, interval: number | undefined): void {
    const logger = new Logger('server');
    this.stopWatching = watchKeyPair(
      folder,
      (pair) => {
        for (const app of this.apps) {
          // an https listener is a tls.Server, and a new context forgets what is not said again
          (app.getHttpServer() as unknown as TlsServer).setSecureContext({ ...tls, ...pair });
        }
        logger.log('certificate reloaded');
      },
      (error) => {
        logger.error({ err: error }, 'the new certificate cannot be used, the old one stays');
      },
      interval,
    );
  }
}

async function listen(app: NestFastifyApplication, port: number): Promise<string> {
  try {
    return await app.getHttpAdapter().getInstance().listen({ host: '::', port });
  } catch (cause) {
    const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw new Error(`cannot listen on port ${port}: ${code}`, { cause });
  }
}
