#!/usr/bin/env node
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { ConfigError, environment, helpText, parseFlags, renderEffective } from '#config';
import { ProcessSignals } from '#runtime';
import { JsonLogger } from '#telemetry';
import { loadCoordinatorConfig } from './coordinator.config.ts';
import { coordinatorFlags } from './coordinator.flags.ts';
import { startCoordinator } from './start.ts';
import { packageVersion } from './version.ts';

const PROGRAM = {
  name: 'inference-coordinator',
  summary: 'Drives OpenAI-style requests through render, encode, prefill and decode of a disaggregated vLLM cluster.',
};

async function main(): Promise<void> {
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

  const signals = new ProcessSignals();
  const json = new JsonLogger(loaded.config.log_level, 'llm-d-coordinator');
  const coordinator = await startCoordinator(loaded, json);
  signals.onStop((signal) => coordinator.shutdown.run(signal));
  const logger = new Logger('coordinator');
  for (const warning of loaded.warnings) logger.warn(warning);
  coordinator.lifecycle.advance('serving');
  logger.log({ addr: coordinator.url, version: packageVersion() }, 'coordinator is ready');
}

function print(text: string): void {
  process.stdout.write(text);
}

main().catch((error: unknown) => {
  const text =
    error instanceof ConfigError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
