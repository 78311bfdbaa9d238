import { startSimulatedCluster } from '../cluster.ts';
import type { SimulatedCluster } from '../cluster.ts';
import { CoordinatorProcess } from './coordinator-process.ts';
import type { Variables } from './coordinator-process.ts';
import { PrometheusProcess } from './prometheus-process.ts';
import type { StackPlan } from './stack-plan.ts';
import { takenPorts } from './taken-ports.ts';

/** Coordinator and cluster, running. */
export interface Stack {
  readonly cluster: SimulatedCluster;
  /** Resolves if the coordinator ends by itself. */
  readonly coordinatorEnded: Promise<number | null>;
  stop(): Promise<void>;
}

/** What is started beside the cluster, and where its words go. */
export interface StackParts {
  /** The built coordinator. */
  readonly coordinatorMain: string;
  /** Variables that switch its tracing on; undefined leaves it as the environment says. */
  readonly tracing?: Variables | undefined;
  /** Prometheus with its rule files; started where the plan has a port for it. */
  readonly prometheus?: { readonly program: string; readonly rules: readonly string[] } | undefined;
  /** Gets each line that a program writes, and the program's name. */
  readonly print: (program: string, line: string) => void;
}

/** @throws Error naming each taken port and how to change it, or saying why the coordinator did not start */
export async function startStack(plan: StackPlan, parts: StackParts): Promise<Stack> {
  const taken = await takenPorts(plan.simulator.host, plan.ports);
  if (taken.length > 0) throw new Error(takenMessage(taken, plan.ports));
  const cluster = await startSimulatedCluster(plan.simulator);
  const { coordinatorMain, tracing, print } = parts;
  const say = (line: string): void => {
    print('coordinator', line);
  };
  const coordinator = new CoordinatorProcess(coordinatorMain, plan.coordinator, say, tracing);
  const prometheus = prometheusFor(plan, parts);
  const goOn = (error: Error): void => {
    print('prometheus', `${error.message}; going on without`);
  };
  const stop = async (): Promise<void> => {
    await Promise.all([coordinator.stop(), prometheus?.stop()]);
    await cluster.close();
  };
  try {
    await Promise.all([coordinator.ready(plan.coordinatorUrl), prometheus?.ready().catch(goOn)]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { cluster, coordinatorEnded: coordinator.ended, stop };
}

function prometheusFor({ ports, simulator }: StackPlan, { prometheus, print }: StackParts) {
  const port = ports.get('prometheus');
  if (prometheus === undefined || port === undefined) return undefined;
  const at = (target: number | undefined): string => `${simulator.host}:${target ?? 0}`;
  const settings = {
    host: simulator.host,
    port,
    coordinator: at(ports.get('metrics')),
    workers: simulator.workers.map((worker) => at(worker.port)),
    rules: prometheus.rules,
  };
  return new PrometheusProcess(prometheus.program, settings, (line) => {
    print('prometheus', line);
  });
}

function takenMessage(taken: readonly string[], ports: ReadonlyMap<string, number>): string {
  const lines = taken.map((part) => {
    const port = ports.get(part) ?? 0;
    return `  port ${port} is taken; ${part} wants it. Another one: --port ${part}=${port + 100}`;
  });
  return [...lines, '  All ports at once: --port-offset N'].join('\n');
}
