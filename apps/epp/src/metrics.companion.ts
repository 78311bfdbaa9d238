import type { LoggerService } from '@nestjs/common';
import { createApp, tlsOptions } from '#runtime';
import { ApproxPrefixCacheProducer } from '#scheduling';
import { PickerAdminModule, PoolGauges } from '#telemetry/picker';
import type { PickerMetrics } from '#telemetry/picker';
import type { EppOptions } from './epp.options.ts';
import type { Companion, EppInside } from './start.ts';

/** The listener of metrics and admin, for as long as the picker runs. */
export function metricsPage(metrics: PickerMetrics, logger: LoggerService): Companion {
  return async (inside) => {
    const { endpoints, decisions, options } = inside;
    const pool = new PoolGauges(metrics, endpoints, { name: poolName(options), staleness: options.staleness });
    const refresh = (): void => {
      pool.update();
      prefixSizes(metrics, inside);
    };
    const module = PickerAdminModule.register({ metrics, endpoints, decisions, refresh });
    const tls = await certificates(options);
    const app = await createApp(module, { logger, readTimeout: 0, ...(tls === undefined ? {} : { tls }) });
    await app.init();
    await app.getHttpAdapter().getInstance().listen({ host: '::', port: options.metricsPort });
    return { close: () => app.close() };
  };
}

/** What the pool's gauges are called by. */
function poolName({ kubernetes }: EppOptions): string {
  return kubernetes?.kind === 'pool' ? kubernetes.name : 'default';
}

function prefixSizes({ on }: PickerMetrics, { picker }: EppInside): void {
  for (const { name, type, plugin } of picker.plugins) {
    if (plugin instanceof ApproxPrefixCacheProducer) on.prefixIndexSize.set([name, type], plugin.indexSize);
  }
}

async function certificates({ metrics }: EppOptions) {
  return metrics.certDir === undefined
    ? undefined
    : tlsOptions({ folder: metrics.certDir, minVersion: '', cipherSuites: [] });
}
