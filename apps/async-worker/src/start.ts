import type { DynamicModule, LoggerService } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { QueueFigures } from '#broker';
import { MessageTaker } from '#dispatch';
import { Lifecycle } from '#foundation';
import { Shutdown, createApp } from '#runtime';
import type { LoadedConfig } from './async-worker.config.ts';
import { AsyncWorkerModule } from './async-worker.module.ts';
import type { AsyncWorkerParts } from './async-worker.module.ts';

/** What a worker is made of beside its configuration. Telemetry comes in here. */
export interface AsyncWorkerSurroundings extends AsyncWorkerParts {
  readonly logger: LoggerService;
  /** The app behind `server.metrics_port`; undefined where there is none. */
  readonly metrics?: DynamicModule | undefined;
  /** Begins to show how the queues stand. */
  readonly watchQueues?: ((figures: QueueFigures, queues: readonly string[]) => { close(): void }) | undefined;
  /** Closes what stands beside it, once nothing is held any more. */
  readonly closeRest?: (() => Promise<void>) | undefined;
}

/** A worker that takes messages. */
export interface RunningAsyncWorker {
  readonly lifecycle: Lifecycle;
  /** Where probes and admin are, as `http://127.0.0.1:8081`. */
  readonly url: string;
  /** Where metrics are, likewise. */
  readonly metricsUrl: string | undefined;
  readonly shutdown: Shutdown;
}

/** Starts a worker, opens its listeners and begins to take. @throws ConfigError, or what binding a port says */
export async function startAsyncWorker(
  { config }: Pick<LoadedConfig, 'config'>,
  surroundings: AsyncWorkerSurroundings,
): Promise<RunningAsyncWorker> {
  const { server } = config;
  const opened = new AsyncDisposableStack();
  try {
    const module = AsyncWorkerModule.register(config, surroundings);
    const { app, url } = await openListener(module, surroundings.logger, server.listen_addr, server.read_timeout);
    const page = await openMetrics(config, surroundings, opened).catch(async (error: unknown) => {
      await app.close();
      throw error;
    });
    const lifecycle = app.get(Lifecycle, { strict: false });
    const watch = surroundings.watchQueues?.(app.get(QueueFigures, { strict: false }), config.queues);
    opened.defer(() => watch?.close());
    const limits = { drainDelay: server.drain_delay, timeout: server.shutdown_timeout };
    const shutdown = new Shutdown(app, lifecycle, limits, async () => {
      await opened.disposeAsync();
      await surroundings.closeRest?.();
    });
    lifecycle.advance('serving');
    app.get(MessageTaker, { strict: false }).start();
    return { lifecycle, url, metricsUrl: page, shutdown };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function openMetrics(
  { server }: LoadedConfig['config'],
  { metrics, logger }: AsyncWorkerSurroundings,
  opened: AsyncDisposableStack,
): Promise<string | undefined> {
  if (metrics === undefined || server.metrics_port <= 0) return undefined;
  const { app, url } = await openListener(metrics, logger, { host: '', port: server.metrics_port }, 0);
  opened.defer(() => app.close());
  return url;
}

async function openListener(
  module: DynamicModule,
  logger: LoggerService,
  { host, port }: { readonly host: string; readonly port: number },
  readTimeout: number,
): Promise<{ readonly app: NestFastifyApplication; readonly url: string }> {
  const app = await createApp(module, { logger, readTimeout });
  await app.init();
  const fastify = app.getHttpAdapter().getInstance();
  return { app, url: await fastify.listen({ host: host === '' ? '::' : host, port }) };
}
