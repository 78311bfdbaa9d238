import { environment } from '#config';
import type { JsonObject } from '../control/json-value.ts';
import { ChildProgram } from './child-program.ts';

/** Variables for a program. */
export type Variables = Readonly<Record<string, string | undefined>>;

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
        config,
        args: (file) => [main, '--config', file],
        env: environmentFor(environment(), tracing),
      },
      print,
    );
  }

  /** @throws Error when it ends first, or takes longer than 30 s */
  ready(url: string): Promise<void> {
    return this.answers(`${url}/readyz`);
  }
}

/** What the environment says of addresses and steps is meant for another deployment; the rest, a log level say, may stay. */
function environmentFor(env: Variables, tracing: Variables | undefined): Variables {
  const other = /^COORDINATOR_(SERVER_(LISTEN_ADDR|METRICS_PORT|SECURE_SERVING)|GATEWAY_ADDRESS|PIPELINE_.*)$/;
  const kept = Object.entries(env).filter(
    ([name]) => !other.test(name) && (tracing === undefined || !name.startsWith('OTEL_')),
  );
  return { ...Object.fromEntries(kept), ...tracing };
}
