import { join } from 'node:path';
import { environment } from '#config';
import type { LoggedCall } from '../control/request-log.ts';
import { accessedCall } from '../envoy/access-log.ts';
import { envoyConfig } from '../envoy/envoy-config.ts';
import type { EnvoyTopology } from '../envoy/envoy-config.ts';
import { ChildProgram } from './child-program.ts';
import type { WantedProgram } from './find-program.ts';

/** An Envoy to start. */
export interface EnvoyPlan {
  readonly topology: EnvoyTopology;
  readonly adminPort: number;
}

/** Milliseconds after which what Envoy has to say of a request that ended is written. */
const FLUSH_MS = 20;

/** A real Envoy in the place of the development gateway. */
export class EnvoyProcess extends ChildProgram {
  private readonly adminUrl: string;

  /**
   * @param print gets its warnings, line by line
   * @param onCall gets each client's request when it has ended, and each phase that no worker was asked about
   */
  constructor(
    program: string,
    { topology, adminPort }: EnvoyPlan,
    print: (line: string) => void,
    onCall: (call: LoggedCall) => void,
  ) {
    super(
      {
        name: 'Envoy',
        command: program,
        files: () => ({ 'envoy.json': envoyConfig({ ...topology, logsAccess: true }, adminPort) }),
        args: (folder) => [
          ...['--config-path', join(folder, 'envoy.json'), '--disable-hot-restart', '--concurrency', '1'],
          ...['--log-level', 'error', '--file-flush-interval-msec', String(FLUSH_MS), '--drain-time-s', '1'],
        ],
        env: environment(),
      },
      (line) => {
        const isAccess = line.startsWith('{');
        const call = isAccess ? accessedCall(line) : undefined;
        if (call !== undefined) onCall(call);
        if (!isAccess) print(line);
      },
    );
    this.adminUrl = `http://127.0.0.1:${adminPort}`;
  }

  /** @throws Error when it ends first, or takes longer than 30 s */
  ready(): Promise<void> {
    return this.answers(`${this.adminUrl}/ready`);
  }
}

/** The one that the flag `--envoy` asks for. */
export const ENVOY: WantedProgram = {
  ...{ title: 'Envoy', flag: '--envoy', option: '--envoy-program', name: 'envoy' },
  // `envoy  version: <commit>/1.40.0/Clean/RELEASE/BoringSSL`
  version: /version: \w+\/([^/\s]+)/,
};
