import { startSimulatedCluster } from '../../../apps/simulator/src/cluster.ts';
import type { SimulatedCluster } from '../../../apps/simulator/src/cluster.ts';
import type { SimulatorInput } from '../../../apps/simulator/src/simulator.config.ts';
import { coordinatorConfig } from './coordinator-config.ts';
import type { ConfigChanges } from './coordinator-config.ts';
import { CoordinatorProcess } from './coordinator.process.ts';
import { EnvoyProcess } from './envoy.process.ts';
import { freePort } from './free-port.ts';
import { PickerProcess } from './picker.process.ts';
import type { PickerSetting } from './picker.process.ts';
import { TemporaryFolder } from './temporary-folder.ts';

type Phase = 'encode' | 'prefill' | 'decode';

export interface EnvoyStackOptions extends ConfigChanges {
  readonly cluster?: SimulatorInput;
  /** The picker of each phase, told where its endpoints are written; the same object for phases that share one. */
  readonly pickers: (endpoints: string) => Readonly<Record<Phase, PickerSetting>>;
}

/** Client, Envoy, coordinator, Envoy with its pickers, workers: the whole way, each its own process but the workers. */
export interface EnvoyStack {
  readonly url: string;
  readonly envoy: EnvoyProcess;
  readonly coordinator: CoordinatorProcess;
  readonly cluster: SimulatedCluster;
  readonly pickers: ReadonlyMap<string, PickerProcess>;
  readonly folder: TemporaryFolder;
  /** Says anew which workers there are. */
  setEndpoints(workers: SimulatedCluster['workers']): void;
  stop(): Promise<void>;
}

/** @returns undefined where there is no Envoy to be had, which has been said then */
export async function startEnvoyStack(options: EnvoyStackOptions): Promise<EnvoyStack | undefined> {
  const folder = new TemporaryFolder();
  const cluster = await startSimulatedCluster(options.cluster);
  const endpoints = folder.write('endpoints.yaml', endpointList(cluster.workers));
  const [port, coordinatorPort] = [await freePort(), await freePort()];
  const settings = options.pickers(endpoints);
  const pickers = await startPickers(settings, folder);
  const ports = Object.fromEntries(
    Object.entries(settings).map(([phase, { name }]) => [phase, pickers.get(name)?.port ?? 0]),
  );
  // the phases are those of the settings
  const envoy = await EnvoyProcess.start({ port, coordinatorPort, pickers: ports as Record<Phase, number> }, folder);
  const url = `http://127.0.0.1:${port}`;
  const gateway = { gateway: { url }, render: cluster.render };
  const file = folder.write('coordinator.yaml', coordinatorConfig(gateway, coordinatorPort, options));
  const coordinator = new CoordinatorProcess(['--config', file]);
  const stop = async (): Promise<void> => {
    const programs = [coordinator, ...pickers.values(), ...(envoy === undefined ? [] : [envoy])];
    for (const program of programs) program.signal('SIGKILL');
    await Promise.all(programs.map(({ ended }) => ended));
    await cluster.close();
    folder.remove();
  };
  if (envoy === undefined) {
    await stop();
    return undefined;
  }
  await coordinator.ready(`http://127.0.0.1:${coordinatorPort}`);
  const setEndpoints = (workers: SimulatedCluster['workers']): void =>
    void folder.write('endpoints.yaml', endpointList(workers));
  return { url, envoy, coordinator, cluster, pickers, folder, setEndpoints, stop };
}

async function startPickers(settings: Readonly<Record<Phase, PickerSetting>>, folder: TemporaryFolder) {
  const pickers = new Map<string, PickerProcess>();
  for (const setting of new Set(Object.values(settings))) {
    pickers.set(setting.name, await PickerProcess.start(setting, folder));
  }
  return pickers;
}

/** As file discovery reads it. */
function endpointList(workers: SimulatedCluster['workers']): object {
  return {
    endpoints: workers.map(({ name, role, port }) => ({
      name,
      address: '127.0.0.1',
      port: String(port),
      labels: role === 'all' ? {} : { 'llm-d.ai/role': role },
    })),
  };
}
