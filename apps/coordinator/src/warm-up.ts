import { createApp } from '#runtime';
import { WarmUpstream, warmUp } from '#server';
import { BUILT_IN_STEPS } from '#steps';
import type { LoggerService } from '@nestjs/common';
import { stepsOf } from './coordinator.config.ts';
import type { CoordinatorConfig } from './coordinator.config.ts';
import { CoordinatorModule } from './coordinator.module.ts';

/**
 * Has the hot path compiled before the process is ready (`decisions.md` O7): a second coordinator with the same pipeline, but
 * with upstreams in this process and without interceptors, serves requests for `server.warmup`. Nothing of it is counted, traced
 * or logged.
 */
export async function warmUpCoordinator(config: CoordinatorConfig, logger: LoggerService): Promise<number> {
  const builtIn = stepsOf(BUILT_IN_STEPS);
  // a pipeline that a step from outside ends cannot be had without it
  if (builtIn.find(({ type }) => type === config.pipeline.steps.at(-1)?.type)?.answers !== true) return 0;
  const known = new Set(builtIn.map(({ type }) => type));
  const upstream = await WarmUpstream.start(config.gateway.profile_header);
  const app = await createApp(CoordinatorModule.register(towards(upstream.url, config, known)), {
    logger,
    readTimeout: 0,
  });
  try {
    await app.init();
    const url = await app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
    return await warmUp(url, config.server.warmup);
  } finally {
    app.getHttpServer().closeAllConnections();
    await app.close();
    upstream.close();
  }
}

/**
 * The configuration with its upstreams replaced. Steps from outside are left out, for what they call is not known, and so is the
 * broker, which warm-up requests have no business with.
 */
function towards(url: string, config: CoordinatorConfig, known: ReadonlySet<string>): CoordinatorConfig {
  const steps = config.pipeline.steps
    .filter(({ type }) => known.has(type) && type !== 'async-broker')
    .map(({ type, params }) => ({ type, params: type === 'render' ? { ...asObject(params), address: url } : params }));
  return {
    ...config,
    server: { ...config.server, sse_heartbeat: 0, secure_serving: false },
    gateway: { ...config.gateway, address: url },
    pipeline: { ...config.pipeline, steps },
    readiness: { ...config.readiness, require: [] },
  };
}

function asObject(params: unknown): object {
  return typeof params === 'object' && params !== null ? params : {};
}
