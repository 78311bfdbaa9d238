import { readFileSync } from 'node:fs';
import { startSimulatedCluster } from '../../../apps/simulator/src/cluster.ts';
import type { SimulatedCluster } from '../../../apps/simulator/src/cluster.ts';
import type { SimulatorInput } from '../../../apps/simulator/src/simulator.config.ts';
import { coordinatorConfig } from './coordinator-config.ts';
import type { ConfigChanges } from './coordinator-config.ts';
import { CoordinatorProcess } from './coordinator.process.ts';
import { freePort } from './free-port.ts';
import { TemporaryFolder } from './temporary-folder.ts';

export interface StackOptions extends ConfigChanges {
  readonly cluster?: SimulatorInput;
}

/** A simulated cluster in this process, and the built coordinator as another one behind its gateway. */
export interface Stack {
  /** The gateway's, where clients come in. */
  readonly url: string;
  /** The coordinator's own, past the gateway. */
  readonly coordinatorUrl: string;
  readonly cluster: SimulatedCluster;
  readonly coordinator: CoordinatorProcess;
  /** Resident memory of the coordinator. */
  rssMiB(): number;
  /** @throws Error when the coordinator does not exit with 0 */
  stop(): Promise<void>;
}

/** Starts a stack on free ports and waits until it is ready. @throws Error when there is no build, or the coordinator does not start */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const cluster = await startSimulatedCluster(options.cluster);
  const folder = new TemporaryFolder();
  let coordinator: CoordinatorProcess | undefined;
  try {
    const port = await freePort();
    const scheme = options.server?.['secure_serving'] === true ? 'https' : 'http';
    const coordinatorUrl = `${scheme}://127.0.0.1:${port}`;
    const file = folder.write('coordinator.yaml', coordinatorConfig(cluster, port, options));
    coordinator = new CoordinatorProcess(['--config', file]);
    await coordinator.ready(coordinatorUrl);
    cluster.coordinatorUrl = coordinatorUrl;
    return running(cluster, coordinator, coordinatorUrl, folder);
  } catch (error) {
    coordinator?.signal('SIGKILL');
    folder.remove();
    await cluster.close();
    throw error;
  }
}

function running(
  cluster: SimulatedCluster,
  coordinator: CoordinatorProcess,
  coordinatorUrl: string,
  folder: TemporaryFolder,
): Stack {
  return {
    url: cluster.gateway.url,
    coordinatorUrl,
    cluster,
    coordinator,
    rssMiB: () => residentMiB(coordinator.pid),
    stop: async () => {
      try {
        await coordinator.stop();
      } finally {
        folder.remove();
        await cluster.close();
      }
    },
  };
}

/** Resident memory of a process, from `/proc`. */
export function residentMiB(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) / 1024;
}
