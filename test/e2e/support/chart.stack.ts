import { startSimulation } from '../../../apps/simulator/src/cluster.ts';
import type { Simulation } from '../../../apps/simulator/src/cluster.ts';
import { rendered } from '../../integration/helm.chart.ts';
import type { Values } from '../../integration/helm.chart.ts';
import { ChartCluster } from './chart.cluster.ts';
import { chartContainers } from './chart.container.ts';
import type { App, ChartContainer } from './chart.container.ts';
import { ChartPods } from './chart.pods.ts';
import type { ServingPod } from './chart.pods.ts';
import { startChartProgram } from './chart.program.ts';
import type { ChartPodPlace, ChartProgram } from './chart.program.ts';
import { chartPools } from './chart.routes.ts';
import { EnvoyProcess } from './envoy.process.ts';
import { freePort } from './free-port.ts';
import type { KubernetesObject } from './kubernetes.api.ts';
import { PHASES } from './picker-config.ts';
import type { Phase } from './picker-config.ts';
import { TemporaryFolder } from './temporary-folder.ts';

export type ChartMode = 'profiles' | 'roles' | 'sidecar';

/** With sidecars as the chart has them by itself there is no encode stage. */
const ROLES: Readonly<Record<ChartMode, readonly Phase[]>> = {
  profiles: ['encode', 'prefill', 'prefill', 'decode', 'decode'],
  roles: ['encode', 'prefill', 'prefill', 'decode', 'decode'],
  sidecar: ['prefill', 'prefill', 'decode'],
};

/** What values say on a machine where services have no names. */
export interface ChartAddresses {
  readonly gateway: string;
  readonly render: string;
  /** Of all pods. */
  readonly targetPort: number;
}

/** Client, Envoy, the programs as the chart has them, and simulated workers in pods that a real API server knows. */
export class ChartStack {
  readonly programs: ChartProgram[] = [];
  pods: readonly ServingPod[] = [];
  /** Where clients come in. */
  url = '';
  readonly containers: readonly ChartContainer[];
  private readonly opened = new AsyncDisposableStack();

  private constructor(
    readonly addresses: ChartAddresses,
    readonly objects: readonly KubernetesObject[],
    readonly cluster: Simulation,
  ) {
    this.containers = chartContainers(objects);
    this.opened.defer(() => cluster.close());
  }

  /**
   * Starts everything, and waits until its probes are content.
   * @param kubernetes what `ensureKubernetes` gave
   * @throws Error where there is no Helm, Envoy or build, or one of them does not start
   */
  static async start(mode: ChartMode, kubernetes: string): Promise<ChartStack> {
    const workers = ROLES[mode].map((role) => ({ role }));
    const cluster = await startSimulation({ render: {}, workers, ...(mode === 'sidecar' ? { sidecar: {} } : {}) });
    const gateway = `http://127.0.0.1:${await freePort()}`;
    const addresses = { gateway, render: cluster.render?.url ?? '', targetPort: await freePort() };
    const stack = new ChartStack(addresses, await rendered(valuesOf(mode, addresses)), cluster);
    try {
      await stack.open(kubernetes);
      return stack;
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  /** The programs of an app, in the order of the chart. */
  programsOf(app: App): readonly ChartProgram[] {
    return this.programs.filter(({ shipped }) => shipped.app === app);
  }

  stop(): Promise<void> {
    return this.opened.disposeAsync();
  }

  private async open(kubernetes: string): Promise<void> {
    const server = await ChartCluster.start(kubernetes, this.objects);
    this.opened.defer(() => server.stop());
    const start = async (shipped: ChartContainer, place: ChartPodPlace = {}): Promise<ChartProgram> => {
      const token = shipped.app === 'coordinator' ? {} : { login: await server.login(shipped.account) };
      const program = await startChartProgram(shipped, { ...place, ...token });
      this.opened.defer(() => program.stop());
      this.programs.push(program);
      return program;
    };
    const [sidecar] = this.shippedOf('sidecar');
    // as docs/deploy.md has them
    const roleLabel = sidecar === undefined ? 'llm-d.ai/role' : 'role';
    const pods = new ChartPods(server, chartPools(this.objects), this.addresses.targetPort, roleLabel);
    this.opened.defer(() => pods.close());
    for (const worker of this.cluster.workers) {
      const engine = worker.port;
      await pods.add(worker, async (address) => {
        if (worker.role !== 'decode' || sidecar === undefined) return engine;
        return firstPort(await start(sidecar, { address, engine }));
      });
    }
    this.pods = pods.serving;
    for (const shipped of [...this.shippedOf('epp'), ...this.shippedOf('coordinator')]) await start(shipped);
    await this.openEnvoy();
  }

  private async openEnvoy(): Promise<void> {
    const [coordinator] = this.programsOf('coordinator');
    const clientPort = await freePort();
    const port = Number(new URL(this.addresses.gateway).port);
    const front = coordinator === undefined ? {} : { clientPort, coordinatorPort: firstPort(coordinator) };
    const folder = new TemporaryFolder();
    this.opened.defer(() => {
      folder.remove();
    });
    const envoy = await EnvoyProcess.start({ port, ...front, pickers: this.pickerPorts() }, folder);
    if (envoy === undefined) throw new Error('there is no Envoy');
    this.opened.defer(async () => {
      envoy.signal('SIGKILL');
      await envoy.ended;
    });
    this.url = coordinator === undefined ? envoy.url : `http://127.0.0.1:${clientPort}`;
  }

  /** Who is asked about each phase, as routes and pools of the chart have it. */
  private pickerPorts(): Readonly<Record<Phase, number>> {
    const pools = chartPools(this.objects);
    const [encode = 0, prefill = 0, decode = 0] = PHASES.map((phase) => {
      const { name, port } = pools[phase].picker;
      const picker = this.programsOf('epp').find(({ shipped }) => shipped.of === `Deployment/${name}`);
      return picker?.ports.get(port) ?? 0;
    });
    return { encode, prefill, decode };
  }

  private shippedOf(app: App): readonly ChartContainer[] {
    return this.containers.filter((container) => container.app === app && !container.isCheck);
  }
}

function valuesOf(mode: ChartMode, { gateway, render, targetPort }: ChartAddresses): Values {
  return {
    picker: { mode },
    pool: { targetPorts: [targetPort] },
    coordinator: { config: { gateway: { address: gateway } } },
    render: { address: render },
  };
}

/** Where a program serves. */
function firstPort({ ports }: ChartProgram): number {
  const [port] = ports.values();
  if (port === undefined) throw new Error('the program has no port');
  return port;
}
