import { createConnection } from 'node:net';
import { builtApp } from './coordinator.process.ts';
import { freePort } from './free-port.ts';
import { ProgramProcess } from './program.process.ts';
import type { TemporaryFolder } from './temporary-folder.ts';

/** What a picker is started with: its configuration, and the endpoints it knows. */
export interface PickerSetting {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly flags?: readonly string[];
}

/** The built endpoint picker. */
export class PickerProcess extends ProgramProcess {
  private constructor(
    args: readonly string[],
    /** Where the proxy asks it. */
    readonly port: number,
    private readonly healthPort: number,
    /** Where metrics and admin are. */
    readonly adminUrl: string,
  ) {
    super('the endpoint picker', [...builtApp('epp'), ...args]);
  }

  /** Starts it and waits until it listens. @param port a free one where it is not given */
  static async start({ name, config, flags = [] }: PickerSetting, folder: TemporaryFolder, port?: number) {
    const [own, health, metrics] = [port ?? (await freePort()), await freePort(), await freePort()];
    const file = folder.write(`${name}.yaml`, config);
    const ports = [`--grpc-port=${own}`, `--grpc-health-port=${health}`, `--metrics-port=${metrics}`];
    const picker = new PickerProcess(
      ['--config-file', file, ...ports, '--tracing=false', ...flags],
      own,
      health,
      `http://127.0.0.1:${metrics}`,
    );
    await picker.until(async () => (await answers(own)) && (await answers(picker.healthPort)));
    return picker;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
