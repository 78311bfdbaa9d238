import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { environment, helpText, parseFlags, renderEffective } from '#config';
import { ProcessSignals, collectStartUp, countBodiesWithHeap, exitFailed, reportReady, workerNumber } from '#runtime';
import { JsonLogger } from '#telemetry';
import { loadCoordinatorConfig } from './coordinator.config.ts';
import type { LoadedConfig } from './coordinator.config.ts';
import { coordinatorFlags } from './coordinator.flags.ts';
import { startCoordinator } from './start.ts';
import { supervise } from './supervise.ts';
import { packageVersion } from './version.ts';
import { warmUpCoordinator } from './warm-up.ts';

const PROGRAM = {
  name: 'inference-coordinator',
  summary: 'Drives OpenAI-style requests through render, encode, prefill and decode of a disaggregated vLLM cluster.',
};

async function main(): Promise<void> {
  countBodiesWithHeap();
  const { values, overrides, overrideNames } = parseFlags(coordinatorFlags, process.argv.slice(2));
  if (values.help) {
    print(helpText(coordinatorFlags, PROGRAM));
    return;
  }
  if (values.version) {
    print(`${packageVersion()}\n`);
    return;
  }
  const layers = { env: environment(), envPrefix: 'COORDINATOR', overrides, overrideNames };
  const loaded = await loadCoordinatorConfig({ file: values.config, ...layers });
  if (values.check) {
    print(renderEffective(loaded.effective));
    return;
  }

  const logger = new JsonLogger(loaded.config.log_level, 'llm-d-coordinator');
  Logger.overrideLogger(logger);
  const isSupervisor = loaded.config.server.workers > 1 && workerNumber() === undefined;
  await (isSupervisor ? supervise(loaded, logger) : serve(loaded, logger));
}

/** Serves until a signal ends the process. */
async function serve(loaded: LoadedConfig, json: JsonLogger): Promise<void> {
  const signals = new ProcessSignals(workerNumber() !== undefined);
  const logger = new Logger('coordinator');
  for (const warning of loaded.warnings) logger.warn(warning);
  const coordinator = await startCoordinator(loaded, json);
  signals.onStop((signal) => coordinator.shutdown.run(signal));
  const { warmup } = loaded.config.server;
  if (warmup > 0) logger.log({ requests: await warmUpCoordinator(loaded.config, json) }, 'warmed up');
  collectStartUp();
  coordinator.lifecycle.advance('serving');
  reportReady(coordinator.adminUrl, () => void coordinator.shutdown.run('SIGTERM').finally(() => process.exit(0)));
  logger.log({ addr: coordinator.url, version: packageVersion(), worker: workerNumber() }, 'coordinator is ready');
}

function print(text: string): void {
  process.stdout.write(text);
}

main().catch(exitFailed);
