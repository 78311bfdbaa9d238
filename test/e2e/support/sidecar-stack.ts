import { startSimulation } from '../../../apps/simulator/src/cluster.ts';
import type { Simulation } from '../../../apps/simulator/src/cluster.ts';
import type { SimulatorInput, WorkerRole } from '../../../apps/simulator/src/simulator.config.ts';
import type { ListedWorker } from './endpoint-list.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { metricOf } from './picker-metrics.ts';
import { startPickerStack } from './picker-stack.ts';
import type { PickerStack } from './picker-stack.ts';
import { sampleConfig } from './sample-config.ts';
import { SidecarProcess } from './sidecar.process.ts';

export interface SidecarStackOptions {
  /** Of `config/epp`. */
  readonly sample?: 'epd.yaml' | 'pd.yaml';
  /** One worker of each. Before the one that decodes stands a sidecar, and where there is none, too: its engine is not there then. */
  readonly roles?: readonly WorkerRole[];
  readonly kv?: NonNullable<SimulatorInput['sidecar']>['kv_connector'];
  readonly ec?: NonNullable<SimulatorInput['sidecar']>['ec_connector'];
  /** Milliseconds that decode waits for a prefill beside it. */
  readonly waitMs?: number;
}

/** Client, Envoy with a picker, a built sidecar before a simulated decode worker, other workers. */
export interface SidecarStack {
  /** Where clients come in. */
  readonly url: string;
  readonly picker: PickerStack;
  readonly sidecar: SidecarProcess;
  readonly cluster: Simulation;
  /** What the picker was told of at first. */
  readonly workers: readonly ListedWorker[];
  /** Tells the picker of these instead, and waits until it knows. */
  list(workers: readonly ListedWorker[]): Promise<void>;
  /** Of the picker's own page. */
  picked(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
  /** Of the sidecar's own page; its prefix left out. */
  counted(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
  stop(): Promise<void>;
}

/** @throws Error where there is no Envoy, no build, or one of them does not start */
export async function startSidecarStack(options: SidecarStackOptions = {}): Promise<SidecarStack> {
  const { sample = 'epd.yaml', kv = 'nixlv2', ec = 'ec-nixl' } = options;
  const cluster = await startWorkers({ ...options, kv, ec });
  const engine = cluster.workers.find(({ role }) => role === 'decode')?.port;
  const bootstrap = cluster.bootstrap === undefined ? [] : [`--mooncake-bootstrap-port=${cluster.bootstrap.port}`];
  const flags = [`--kv-connector=${kv}`, `--ec-connector=${ec}`, ...bootstrap];
  const sidecar = await SidecarProcess.start(engine ?? (await freePort()), flags);
  const others = cluster.workers.filter(({ role }) => role !== 'decode');
  const decode = { name: 'decode-1', role: 'decode', port: Number(new URL(sidecar.url).port) };
  const workers = [...others.map(({ name, role, port }) => ({ name, role, port })), decode];
  const setting = (endpoints: string) => ({ name: 'picker', config: sampleConfig(sample, endpoints) });
  const picker = await startPickerStack({ workers, picker: setting });
  return {
    url: picker.url,
    picker,
    sidecar,
    cluster,
    workers,
    list: async (others) => {
      picker.setEndpoints(others);
      const wanted = others.map(({ port }) => port).toSorted((a, b) => a - b);
      await eventually(async () => (await portsKnown(picker.picker.adminUrl)).join() === wanted.join());
    },
    picked: (name, labels) => metricOf(picker.picker, name, labels),
    counted: (name, labels) =>
      metricOf({ adminUrl: `http://127.0.0.1:${sidecar.metricsPort}` }, `llm_d_disagg_sidecar_${name}`, labels),
    stop: async () => {
      sidecar.signal('SIGKILL');
      await Promise.all([picker.stop(), sidecar.ended, cluster.close()]);
    },
  };
}

function startWorkers({ roles = ['encode', 'prefill', 'decode'], kv, ec, waitMs = 5000 }: SidecarStackOptions) {
  return startSimulation({
    workers: roles.map((role) => ({ role })),
    sidecar: { kv_connector: kv, ec_connector: ec, bootstrap_port: kv === 'mooncake' ? 0 : 8998, wait_ms: waitMs },
  });
}

async function portsKnown(adminUrl: string): Promise<number[]> {
  const page = (await (await fetch(`${adminUrl}/admin/endpoints`)).json()) as EndpointsPage; // its shape
  return page.endpoints.map(({ port }) => port).toSorted((a, b) => a - b);
}

interface EndpointsPage {
  readonly endpoints: readonly { readonly port: number }[];
}
