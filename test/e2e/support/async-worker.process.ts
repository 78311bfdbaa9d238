import { builtApp, statusOf } from './coordinator.process.ts';
import { freePort } from './free-port.ts';
import { ProgramProcess } from './program.process.ts';
import { TemporaryFolder } from './temporary-folder.ts';

type Section = Readonly<Record<string, unknown>>;

/** Where a worker takes requests from, and who serves them. */
export interface AsyncWorkerOptions {
  readonly redisUrl: string;
  readonly coordinatorUrl: string;
  /** What differs from the defaults of the section `worker`. */
  readonly worker?: Section;
  /** And of `coordinator`. */
  readonly coordinator?: Section;
  /** And of `server`. */
  readonly server?: Section;
}

/** The built async worker. */
export class AsyncWorkerProcess extends ProgramProcess {
  private constructor(
    private readonly folder: TemporaryFolder,
    file: string,
    readonly url: string,
  ) {
    super('the async worker', [...builtApp('async-worker'), '--config', file]);
    void this.ended.then(() => {
      this.folder.remove();
    });
  }

  /** Starts it, and waits for nothing. @throws Error when there is no build */
  static async launch(options: AsyncWorkerOptions): Promise<AsyncWorkerProcess> {
    const port = await freePort();
    const folder = new TemporaryFolder();
    const file = folder.write('async-worker.yaml', {
      log_level: 1,
      redis_url: options.redisUrl,
      coordinator: { address: options.coordinatorUrl, ...options.coordinator },
      worker: { poll_interval: '50ms', ...options.worker },
      server: { listen_addr: `127.0.0.1:${port}`, metrics_port: 0, ...options.server },
    });
    return new AsyncWorkerProcess(folder, file, `http://127.0.0.1:${port}`);
  }

  /** Starts it, and waits for it to take messages. @throws Error with its output, when it ends first or takes longer than 30 s */
  static async start(options: AsyncWorkerOptions): Promise<AsyncWorkerProcess> {
    const worker = await AsyncWorkerProcess.launch(options);
    await worker.until(async () => (await statusOf(`${worker.url}/readyz`)) === 200);
    return worker;
  }

  /** SIGKILL; done when it is gone. */
  async crash(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }
}
