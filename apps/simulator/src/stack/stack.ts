import { startSimulatedCluster } from '../cluster.ts';
import type { SimulatedCluster } from '../cluster.ts';
import { CoordinatorProcess } from './coordinator-process.ts';
import type { StackPlan } from './stack-plan.ts';
import { takenPorts } from './taken-ports.ts';

/** Coordinator and cluster, running. */
export interface Stack {
  readonly cluster: SimulatedCluster;
  /** Resolves if the coordinator ends by itself. */
  readonly coordinatorEnded: Promise<number | null>;
  stop(): Promise<void>;
}

/**
 * @param coordinatorMain the built coordinator
 * @param print gets each line that the coordinator writes
 * @throws Error naming each taken port and how to change it
 */
export async function startStack(
  plan: StackPlan,
  coordinatorMain: string,
  print: (line: string) => void,
): Promise<Stack> {
  const taken = await takenPorts(plan.simulator.host, plan.ports);
  if (taken.length > 0) throw new Error(takenMessage(taken, plan.ports));
  const cluster = await startSimulatedCluster(plan.simulator);
  const coordinator = new CoordinatorProcess(coordinatorMain, plan.coordinator, print);
  const stop = async (): Promise<void> => {
    await coordinator.stop();
    await cluster.close();
  };
  try {
    await coordinator.ready(plan.coordinatorUrl);
  } catch (error) {
    await stop();
    throw error;
  }
  return { cluster, coordinatorEnded: coordinator.ended, stop };
}

function takenMessage(taken: readonly string[], ports: ReadonlyMap<string, number>): string {
  const lines = taken.map((part) => {
    const port = ports.get(part) ?? 0;
    return `  port ${port} is taken; ${part} wants it. Another one: --port ${part}=${port + 100}`;
  });
  return [...lines, '  All ports at once: --port-offset N'].join('\n');
}
