import { ensureEnvoy } from '../../install/envoy.mjs';
import { statusOf } from './coordinator.process.ts';
import { envoyConfig } from '../../../apps/simulator/src/envoy/envoy-config.ts';
import type { EnvoyTopology } from '../../../apps/simulator/src/envoy/envoy-config.ts';
import { freePort } from './free-port.ts';
import { ProgramProcess } from './program.process.ts';
import type { TemporaryFolder } from './temporary-folder.ts';

/** A real Envoy before the coordinator and the workers. */
export class EnvoyProcess extends ProgramProcess {
  private constructor(
    command: readonly string[],
    /** Where clients come in. */
    readonly url: string,
    private readonly adminUrl: string,
  ) {
    super('envoy', command);
  }

  /** @returns undefined where there is no Envoy to be had, which has been said then */
  static async start(topology: EnvoyTopology, folder: TemporaryFolder): Promise<EnvoyProcess | undefined> {
    const program = await ensureEnvoy();
    if (program === undefined) return undefined;
    const admin = await freePort();
    const file = folder.write('envoy.json', envoyConfig(topology, admin));
    const options = ['--config-path', file, '--concurrency', '1', '--disable-hot-restart', '--log-level', 'warning'];
    const envoy = new EnvoyProcess(
      [program, ...options, '--drain-time-s', '1'],
      `http://127.0.0.1:${topology.port}`,
      `http://127.0.0.1:${admin}`,
    );
    await envoy.until(async () => (await statusOf(`${envoy.adminUrl}/ready`)) === 200);
    return envoy;
  }

  /** Of a statistic, or 0 where Envoy has none of that name. */
  async statistic(name: string): Promise<number> {
    const text = await (await fetch(`${this.adminUrl}/stats?filter=^${name}$`)).text();
    return Number(/: (\d+)/.exec(text)?.[1] ?? 0);
  }

  async version(): Promise<string> {
    const info = (await (await fetch(`${this.adminUrl}/server_info`)).json()) as { version?: string };
    return info.version ?? 'unknown';
  }
}
