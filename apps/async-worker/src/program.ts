import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { configHash, defaultEnvironment, environment, helpText, parseFlags, renderEffective } from '#config';
import { ProcessSignals, collectStartUp, countBodiesWithHeap, exitFailed } from '#runtime';
import { JsonLogger, MetricsPageModule, loadTracing } from '#telemetry';
import { AsyncWorkerMetrics, asyncWorkerTelemetry } from '#telemetry/async-worker';
import { loadAsyncWorkerConfig } from './async-worker.config.ts';
import type { LoadedConfig } from './async-worker.config.ts';
import { asyncWorkerFlags } from './async-worker.flags.ts';
import { startAsyncWorker } from './start.ts';
import { packageVersion } from './version.ts';

const SERVICE = 'llm-d-async-worker';
const PROGRAM = {
  name: 'inference-async-worker',
  summary: 'Takes queued requests from Redis by deadline and has the coordinator serve them.',
};

async function main(): Promise<void> {
  countBodiesWithHeap();
  const { values, overrides, overrideNames } = parseFlags(asyncWorkerFlags, process.argv.slice(2));
  if (values.help) {
    print(helpText(asyncWorkerFlags, PROGRAM));
    return;
  }
  if (values.version) {
    print(`${packageVersion()}\n`);
    return;
  }
  const layers = { env: environment(), envPrefix: 'ASYNC_WORKER', overrides, overrideNames };
  const loaded = loadAsyncWorkerConfig({ file: values.config, ...layers });
  if (values.check) {
    print(renderEffective(loaded.effective));
    return;
  }
  await serve(loaded);
}

/** Takes messages until a signal ends the process. */
async function serve(loaded: LoadedConfig): Promise<void> {
  const json = new JsonLogger(loaded.config.log_level, SERVICE);
  Logger.overrideLogger(json);
  const signals = new ProcessSignals();
  const logger = new Logger('async-worker');
  for (const warning of loaded.warnings) logger.warn(warning);
  const metrics = new AsyncWorkerMetrics();
  describeProcess(metrics, loaded);
  defaultEnvironment({ OTEL_SERVICE_NAME: SERVICE });
  const sdk = await loadTracing(loaded.config.tracing, packageVersion());
  const worker = await startAsyncWorker(loaded, {
    logger: json,
    metrics: MetricsPageModule.register(metrics),
    ...asyncWorkerTelemetry(metrics, sdk?.tracer),
    closeRest: async () => sdk?.stop(),
  });
  signals.onStop((signal) => worker.shutdown.run(signal));
  collectStartUp();
  logger.log({ addr: worker.url, version: packageVersion() }, 'async worker is ready');
}

function describeProcess({ on }: AsyncWorkerMetrics, { effective }: LoadedConfig): void {
  on.buildInfo.set([packageVersion(), environment()['BUILD_COMMIT'] ?? 'unknown', process.version], 1);
  on.configInfo.set([configHash(effective)], 1);
}

function print(text: string): void {
  process.stdout.write(text);
}

main().catch(exitFailed);
