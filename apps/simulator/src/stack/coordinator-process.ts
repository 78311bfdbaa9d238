import { join } from 'node:path';
import type { JsonObject } from '../control/json-value.ts';
import { ChildProgram } from './child-program.ts';
import { programEnvironment } from './program-environment.ts';
import type { Variables } from './program-environment.ts';

/** The built coordinator as a process of its own. */
export class CoordinatorProcess extends ChildProgram {
  /**
   * @param print gets each line that the process writes
   * @param tracing variables that switch tracing on, in place of all `OTEL_*` that are set; undefined leaves those
   */
  constructor(main: string, config: JsonObject, print: (line: string) => void, tracing?: Variables) {
    super(
      {
        name: 'the coordinator',
        command: process.execPath,
        files: () => ({ 'coordinator.yaml': config }),
        args: (folder) => [main, '--config', join(folder, 'coordinator.yaml')],
        env: programEnvironment(tracing),
      },
      print,
    );
  }

  /** @throws Error when it ends first, or takes longer than 30 s */
  ready(url: string): Promise<void> {
    return this.answers(`${url}/readyz`);
  }
}
