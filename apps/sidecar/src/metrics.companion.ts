import type { LoggerService } from '@nestjs/common';
import { createApp } from '#runtime';
import { MetricsPageModule } from '#telemetry';
import type { SidecarMetrics } from '#telemetry/sidecar';
import type { Companion } from './start.ts';

/** The listener of `--metrics-port`, plain HTTP, for as long as the sidecar runs; none where it is off. @param told where it listens */
export function metricsPage(
  metrics: SidecarMetrics,
  logger: LoggerService,
  told: (url: string) => void = () => undefined,
): Companion {
  return async ({ options: { metricsAddress } }) => {
    if (metricsAddress === undefined) return { close: () => undefined };
    const { host, port } = metricsAddress;
    const app = await createApp(MetricsPageModule.register(metrics), { logger, readTimeout: 0 });
    await app.init();
    told(
      await app
        .getHttpAdapter()
        .getInstance()
        .listen({ host: host === '' ? '::' : host, port }),
    );
    return { close: () => app.close() };
  };
}
