import { isListening } from '../../../apps/simulator/src/stack/is-listening.ts';
import { builtApp } from './coordinator.process.ts';
import { freePort } from './free-port.ts';
import { ProgramProcess } from './program.process.ts';
import type { TemporaryFolder } from './temporary-folder.ts';

/** What a picker is started with: its configuration, and the endpoints it knows. */
export interface PickerSetting {
  readonly name: string;
  /** Or the path of a file that has it. */
  readonly config: Readonly<Record<string, unknown>> | string;
  readonly flags?: readonly string[];
  /** Beside the machine's own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The built endpoint picker. */
export class PickerProcess extends ProgramProcess {
  private constructor(
    args: readonly string[],
    /** Where the proxy asks it. */
    readonly port: number,
    readonly healthPort: number,
    /** Where metrics and admin are. */
    readonly adminUrl: string,
    env: PickerSetting['env'],
  ) {
    super('the endpoint picker', [...builtApp('epp'), ...args], env);
  }

  /** Starts it and waits until it listens. @param port a free one where it is not given */
  static async start({ name, config, flags = [], env }: PickerSetting, folder: TemporaryFolder, port?: number) {
    const [own, health, metrics] = [port ?? (await freePort()), await freePort(), await freePort()];
    const file = typeof config === 'string' ? config : folder.write(`${name}.yaml`, config);
    const ports = [`--grpc-port=${own}`, `--grpc-health-port=${health}`, `--metrics-port=${metrics}`];
    const picker = new PickerProcess(
      ['--config-file', file, ...ports, '--tracing=false', '--enable-grpc-stream-metrics', ...flags],
      own,
      health,
      `http://127.0.0.1:${metrics}`,
      env,
    );
    await picker.until(async () => (await picker.takesConnections()) && (await isListening(picker.healthPort)));
    return picker;
  }

  /** Whether the proxy could connect. */
  takesConnections(): Promise<boolean> {
    return isListening(this.port);
  }
}
