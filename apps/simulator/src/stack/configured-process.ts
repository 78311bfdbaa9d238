import { join } from 'node:path';
import type { JsonObject } from '../control/json-value.ts';
import { ChildProgram } from './child-program.ts';
import { programEnvironment } from './program-environment.ts';
import type { Variables } from './program-environment.ts';

/** A built program that has one file of configuration, and where it says that it is ready. */
export interface ConfiguredProgram {
  /** As messages call it: `the coordinator`. */
  readonly name: string;
  readonly main: string;
  readonly config: JsonObject;
  /** The origin of its `/readyz`. */
  readonly url: string;
}

/** The built coordinator, or async worker, as a process of its own. */
export class ConfiguredProcess extends ChildProgram {
  private readonly url: string;

  /**
   * @param print gets each line that the process writes
   * @param tracing variables that switch tracing on, in place of all `OTEL_*` that are set; undefined leaves those
   */
  constructor({ name, main, config, url }: ConfiguredProgram, print: (line: string) => void, tracing?: Variables) {
    super(
      {
        name,
        command: process.execPath,
        files: () => ({ 'config.yaml': config }),
        args: (folder) => [main, '--config', join(folder, 'config.yaml')],
        env: programEnvironment(tracing),
      },
      print,
    );
    this.url = url;
  }

  /** @throws Error when it ends first, or takes longer than 30 s */
  ready(): Promise<void> {
    return this.answers(`${this.url}/readyz`);
  }
}
