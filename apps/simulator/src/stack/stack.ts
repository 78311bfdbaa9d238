import { startSimulation } from '../cluster.ts';
import type { RequestLog } from '../control/request-log.ts';
import type { StackPlan } from './stack-plan.ts';
import { stackParts } from './stack-parts.ts';
import type { Part, StackPrograms, StartedPart } from './stack-parts.ts';
import { takenPorts } from './taken-ports.ts';

/** Everything, running. */
export interface Stack {
  /** Where clients come in. */
  readonly url: string;
  /** Where images are. */
  readonly mediaUrl: string;
  readonly requests: RequestLog;
  /** Resolves if a part ends by itself that the others cannot do without. */
  readonly ended: Promise<{ readonly part: string; readonly code: number | null }>;
  stop(): Promise<void>;
}

/** @throws Error naming each taken port and how to change it, or saying which program did not start and why */
export async function startStack(plan: StackPlan, programs: StackPrograms): Promise<Stack> {
  const taken = await takenPorts(plan.host, plan.ports);
  if (taken.length > 0) throw new Error(takenMessage(taken, plan.ports));
  const servers = await startSimulation(plan.simulator);
  const started: (Part & StartedPart)[] = [];
  const stop = async (): Promise<void> => {
    for (const { program } of started.toReversed()) await program.stop();
    await servers.close();
  };
  try {
    const ready: Promise<void>[] = [];
    const first: Promise<void>[] = [];
    for (const part of stackParts(plan, programs, servers)) {
      if (part.isWaitedFor !== true) await Promise.all(first);
      const running = { ...part, ...part.start((line) => programs.print(part.name, line)) };
      started.push(running);
      const isReady = readiness(running, programs.print);
      ready.push(isReady);
      if (part.isWaitedFor === true) first.push(isReady);
    }
    await Promise.all(ready);
  } catch (error) {
    await stop();
    throw error;
  }
  const needed = started.filter(({ isOptional }) => !isOptional);
  const ended = Promise.race(needed.map(async ({ name, program }) => ({ part: name, code: await program.ended })));
  return { url: plan.url, mediaUrl: servers.media?.url ?? '', requests: servers.requests, ended, stop };
}

async function readiness(
  { name, isOptional, ready }: Part & StartedPart,
  print: StackPrograms['print'],
): Promise<void> {
  try {
    await ready;
    print(name, 'ready');
  } catch (error) {
    if (!isOptional) throw error;
    print(name, `${error instanceof Error ? error.message : String(error)}; going on without`);
  }
}

function takenMessage(taken: readonly string[], ports: ReadonlyMap<string, number>): string {
  const lines = taken.map((part) => {
    const port = ports.get(part) ?? 0;
    return `  port ${port} is taken; ${part} wants it. Another one: --port ${part}=${port + 100}`;
  });
  return [...lines, '  All ports at once: --port-offset N'].join('\n');
}
