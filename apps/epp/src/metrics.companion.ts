import { readFile } from 'node:fs/promises';
import type { TlsOptions } from 'node:tls';
import type { LoggerService } from '@nestjs/common';
import { createApp, tlsOptions } from '#runtime';
import { PickerAdminModule, PickerFacts, PoolGauges, ProducerGauges } from '#telemetry/picker';
import type { PickerMetrics } from '#telemetry/picker';
import type { EppOptions } from './epp.options.ts';
import type { Companion } from './start.ts';

/** The listener of metrics and admin, for as long as the picker runs. @param told where it listens */
export function metricsPage(
  metrics: PickerMetrics,
  logger: LoggerService,
  told: (url: string) => void = () => undefined,
): Companion {
  return async ({ endpoints, decisions, options, picker }) => {
    const pool = new PoolGauges(metrics, endpoints, { name: poolName(options), staleness: options.staleness });
    const producers = new ProducerGauges(metrics, new PickerFacts(picker), endpoints);
    const refresh = (): void => {
      pool.update();
      producers.update();
    };
    const module = PickerAdminModule.register({ metrics, endpoints, decisions, refresh });
    const tls = await certificates(options);
    const app = await createApp(module, { logger, readTimeout: 0, ...(tls === undefined ? {} : { tls }) });
    await app.init();
    told(await app.getHttpAdapter().getInstance().listen({ host: '::', port: options.metricsPort }));
    return { close: () => app.close() };
  };
}

/** What the pool's gauges are called by. */
function poolName({ kubernetes }: EppOptions): string {
  return kubernetes?.kind === 'pool' ? kubernetes.name : 'default';
}

/** @throws ConfigError, or Error for a file that cannot be read */
async function certificates({ metrics }: EppOptions): Promise<TlsOptions | undefined> {
  const { certDir, clientCaFile } = metrics;
  if (certDir === undefined) return undefined;
  const own = await tlsOptions({ folder: certDir, minVersion: '', cipherSuites: [] });
  if (clientCaFile === undefined) return own;
  return { ...own, ca: await readFile(clientCaFile), requestCert: true, rejectUnauthorized: true };
}
