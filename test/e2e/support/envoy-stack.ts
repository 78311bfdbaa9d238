import { startSimulatedCluster } from '../../../apps/simulator/src/cluster.ts';
import type { SimulatedCluster } from '../../../apps/simulator/src/cluster.ts';
import type { SimulatorInput } from '../../../apps/simulator/src/simulator.config.ts';
import { coordinatorConfig } from './coordinator-config.ts';
import type { ConfigChanges } from './coordinator-config.ts';
import { CoordinatorProcess } from './coordinator.process.ts';
import { endpointList } from './endpoint-list.ts';
import { EnvoyProcess } from './envoy.process.ts';
import { freePort } from './free-port.ts';
import type { Phase } from './picker-config.ts';
import { PickerProcess } from './picker.process.ts';
import type { PickerSetting } from './picker.process.ts';
import { TemporaryFolder } from './temporary-folder.ts';

export interface EnvoyStackOptions extends ConfigChanges {
  readonly cluster?: SimulatorInput;
  /** The picker of each phase, told where its endpoints are written; the same object for phases that share one. */
  readonly pickers: (endpoints: string) => Readonly<Record<Phase, PickerSetting>>;
}

/** Client, Envoy, coordinator, Envoy with its pickers, workers: the whole way, each its own process but the workers. */
export interface EnvoyStack {
  /** Where clients come in. */
  readonly url: string;
  /** Where the coordinator sends its calls, and where `EPP-Profile` counts. */
  readonly phaseUrl: string;
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
  const [port, clientPort, coordinatorPort] = [await freePort(), await freePort(), await freePort()];
  const settings = options.pickers(endpoints);
  const pickers = await startPickers(settings, folder);
  const ports = Object.fromEntries(
    Object.entries(settings).map(([phase, { name }]) => [phase, pickers.get(name)?.port ?? 0]),
  );
  // the phases are those of the settings
  const topology = { port, clientPort, coordinatorPort, pickers: ports as Record<Phase, number> };
  const envoy = await EnvoyProcess.start(topology, folder);
  const [url, phaseUrl] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${port}`];
  const gateway = { gateway: { url: phaseUrl }, render: cluster.render };
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
  return { url, phaseUrl, envoy, coordinator, cluster, pickers, folder, setEndpoints, stop };
}

async function startPickers(settings: Readonly<Record<Phase, PickerSetting>>, folder: TemporaryFolder) {
  const pickers = new Map<string, PickerProcess>();
  for (const setting of new Set(Object.values(settings))) {
    pickers.set(setting.name, await PickerProcess.start(setting, folder));
  }
  return pickers;
}
