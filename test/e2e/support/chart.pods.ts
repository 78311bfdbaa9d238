import type { SimulatedWorker } from '../../../apps/simulator/src/cluster.ts';
import type { ChartCluster } from './chart.cluster.ts';
import type { ChartPool } from './chart.routes.ts';
import { PHASES } from './picker-config.ts';
import type { Phase } from './picker-config.ts';
import { podRelay } from './pod.relay.ts';
import type { TcpRelay } from './tcp.relay.ts';

const FIRST = 21;

/** A pod that serves, as the API server has it. */
export interface ServingPod {
  readonly name: string;
  readonly role: Phase;
  /** `address:port`, as a picker names it. */
  readonly endpoint: string;
}

/** Pods of the chart's pools, at addresses of loopback, each with a simulated worker in it. */
export class ChartPods {
  readonly serving: ServingPod[] = [];
  private readonly relays: TcpRelay[] = [];

  constructor(
    private readonly server: ChartCluster,
    private readonly pools: Readonly<Record<Phase, ChartPool>>,
    private readonly port: number,
    /** The label by which pickers tell roles. */
    private readonly roleLabel: string,
  ) {}

  /** @param entry starts what stands before the worker in the pod at an address; gives the port where the pod is served */
  async add({ name, role }: SimulatedWorker, entry: (address: string) => Promise<number>): Promise<void> {
    const phase = PHASES.find((each) => each === role);
    if (phase === undefined) throw new Error(`a pod has one role, and ${name} has ${role}`);
    const address = `127.0.0.${FIRST + this.serving.length}`;
    await this.server.pod(name, address, { [this.roleLabel]: role, ...this.pools[phase].labels });
    this.relays.push(await podRelay(address, this.port, await entry(address)));
    this.serving.push({ name, role: phase, endpoint: `${address}:${this.port}` });
  }

  async close(): Promise<void> {
    await Promise.all(this.relays.map((relay) => relay.close()));
  }
}
