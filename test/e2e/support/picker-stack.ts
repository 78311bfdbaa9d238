import type { EnvoyTopology } from '../../../apps/simulator/src/envoy/envoy-config.ts';
import { endpointList } from './endpoint-list.ts';
import type { ListedWorker } from './endpoint-list.ts';
import { EnvoyProcess } from './envoy.process.ts';
import { freePort } from './free-port.ts';
import { PickerProcess } from './picker.process.ts';
import type { PickerSetting } from './picker.process.ts';
import { TemporaryFolder } from './temporary-folder.ts';

export interface PickerStackOptions {
  /** What the picker is told of at first. */
  readonly workers: readonly ListedWorker[];
  /** Given the file with the endpoints. */
  readonly picker: (endpoints: string) => PickerSetting;
  /** Instances of the picker; with more than one, Envoy asks each for its health. */
  readonly instances?: number;
  readonly subsetHeader?: string;
}

/** Client, Envoy with a picker, workers: no coordinator, so that what reaches a worker is what the client sent and the picker made of it. */
export interface PickerStack {
  readonly url: string;
  readonly envoy: EnvoyProcess;
  /** The first instance, or the one that took its place. */
  readonly picker: PickerProcess;
  readonly pickers: readonly PickerProcess[];
  /** Says anew which workers there are. */
  setEndpoints(workers: readonly ListedWorker[]): void;
  /** Starts another instance where that one was, which has to have ended or at least to take no more connections. */
  replace(picker: PickerProcess): Promise<PickerProcess>;
  stop(): Promise<void>;
}

/** @throws Error where there is no Envoy, no build, or one of them does not start */
export async function startPickerStack(options: PickerStackOptions): Promise<PickerStack> {
  const folder = new TemporaryFolder();
  const setting = options.picker(folder.write('endpoints.yaml', endpointList(options.workers)));
  const pickers: PickerProcess[] = [];
  const all: (PickerProcess | EnvoyProcess)[] = [];
  const start = async (port?: number): Promise<PickerProcess> => {
    const picker = await PickerProcess.start(setting, folder, port);
    all.push(picker);
    return picker;
  };
  const stop = async (): Promise<void> => {
    for (const program of all) program.signal('SIGKILL');
    await Promise.all(all.map(({ ended }) => ended));
    folder.remove();
  };
  try {
    for (let i = 0; i < (options.instances ?? 1); i++) pickers.push(await start());
    const envoy = await EnvoyProcess.start(await topologyOf(pickers, options), folder);
    if (envoy === undefined) throw new Error('there is no Envoy');
    all.push(envoy);
    return {
      url: envoy.url,
      envoy,
      pickers,
      get picker() {
        const [first] = pickers;
        if (first === undefined) throw new Error('a stack has at least one picker');
        return first;
      },
      setEndpoints: (workers) => void folder.write('endpoints.yaml', endpointList(workers)),
      replace: async (old) => {
        const picker = await start(old.port);
        pickers.splice(pickers.indexOf(old), 1, picker);
        return picker;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function topologyOf(
  pickers: readonly PickerProcess[],
  { subsetHeader }: PickerStackOptions,
): Promise<EnvoyTopology> {
  const [first = 0, ...replicas] = pickers.map(({ port }) => port);
  return {
    port: await freePort(),
    pickers: { encode: first, prefill: first, decode: first },
    replicas,
    ...(subsetHeader === undefined ? {} : { subsetHeader }),
  };
}
