import { builtApp, statusOf } from './coordinator.process.ts';
import { freePort } from './free-port.ts';
import { ProgramProcess } from './program.process.ts';

/** The built decode sidecar, over plain HTTP. */
export class SidecarProcess extends ProgramProcess {
  private constructor(
    args: readonly string[],
    readonly url: string,
    readonly metricsPort: number,
    env: Readonly<Record<string, string>>,
  ) {
    super('the decode sidecar', [...builtApp('sidecar'), ...args], env);
  }

  /** Starts it before the engine on that port, and waits until it listens. @param env beside the machine's own */
  static async start(enginePort: number, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const own = ['--secure-proxy=false', `--port=${port}`, `--model-server-port=${enginePort}`];
    const url = `http://127.0.0.1:${port}`;
    const args = [...own, `--metrics-port=${metricsPort}`, ...flags];
    const sidecar = new SidecarProcess(args, url, metricsPort, env);
    // the page of metrics is opened last
    await sidecar.until(async () => (await statusOf(`http://127.0.0.1:${metricsPort}/metrics`)) === 200);
    return sidecar;
  }
}
