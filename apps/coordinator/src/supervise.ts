import { Logger } from '@nestjs/common';
import { renderEffective } from '#config';
import { ProcessSignals, WorkerSupervisor } from '#runtime';
import { AdminModule, AllWorkers } from '#telemetry';
import type { JsonLogger } from '#telemetry';
import type { LoadedConfig } from './coordinator.config.ts';
import { openAdminListener } from './listener.ts';

/** Runs the workers of `server.workers`, and one listener of metrics and admin for all, until a signal ends the process. */
export async function supervise(loaded: LoadedConfig, logger: JsonLogger): Promise<void> {
  const { config, effective } = loaded;
  const signals = new ProcessSignals();
  const supervisor = new WorkerSupervisor(config.server.workers, process.argv[1] ?? '', process.argv.slice(2));
  const view = new AllWorkers({
    token: config.admin.token,
    effectiveConfig: renderEffective(effective),
    urls: () => supervisor.urls,
  });
  const admin = await openAdminListener(AdminModule.of(view), logger, loaded);
  signals.onStop(
    async () => {
      await supervisor.stop();
      await admin?.app.close();
    },
    () => {
      supervisor.kill();
    },
  );
  await supervisor.start();
  new Logger('coordinator').log({ workers: config.server.workers }, 'all workers serve');
}
