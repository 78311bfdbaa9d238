import { parse } from 'yaml';
import { z } from 'zod';
import { chartCommand } from './chart.container.ts';
import type { App, ChartContainer, Differences } from './chart.container.ts';
import { isContent, probeAnswers } from './chart.probes.ts';
import { freePort } from './free-port.ts';
import { ProgramProcess } from './program.process.ts';
import { TemporaryFolder } from './temporary-folder.ts';

/** Of a program whose listeners are in a section. */
const serverFile = z.looseObject({
  server: z.looseObject({ listen_addr: z.string().regex(/:\d+$/), metrics_port: z.int() }),
});
const sidecarFile = z.looseObject({ port: z.int(), 'metrics-port': z.int() });

/** What its pod has that the chart does not say. */
export interface ChartPodPlace {
  readonly address?: string;
  /** Port of the engine in the pod. */
  readonly engine?: number;
  /** Variables by which it is a service account; none where the pod has no token. */
  readonly login?: Readonly<Record<string, string>>;
}

/** A container of the chart that runs on this machine, with its own files and arguments but for what `changed` says. */
export interface ChartProgram {
  readonly shipped: ChartContainer;
  readonly process: ProgramProcess;
  /** Ports of this machine, by those that its configuration says. */
  readonly ports: ReadonlyMap<number, number>;
  readonly changed: readonly string[];
  stop(): Promise<void>;
}

/** Starts it, and waits until the kubelet would be content with it. @throws Error with its output where that takes too long */
export async function startChartProgram(shipped: ChartContainer, place: ChartPodPlace = {}): Promise<ChartProgram> {
  const ports = new Map<number, number>();
  for (const port of PORTS[shipped.app](shipped)) ports.set(port, await freePort());
  const folder = new TemporaryFolder();
  const { command, env, changed } = chartCommand(shipped, folder.path, DIFFERENCES[shipped.app](ports, place));
  const running = new ProgramProcess(shipped.of, command, env);
  const stop = async (): Promise<void> => {
    running.signal('SIGKILL');
    await running.ended;
    folder.remove();
  };
  try {
    await running.until(async () => isContent(await probeAnswers(shipped.container, ports)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { shipped, process: running, ports, changed, stop };
}

/** Runs one that looks at its configuration and ends. @returns its code and what it said */
export async function checkChartProgram(shipped: ChartContainer): Promise<{ code: number | null; output: string }> {
  const folder = new TemporaryFolder();
  const { command, env } = chartCommand(shipped, folder.path);
  const check = new ProgramProcess(shipped.of, command, env);
  const { code } = await check.ended;
  folder.remove();
  return { code, output: check.output };
}

/** Where each program listens by its configuration. */
const PORTS: Readonly<Record<App, (shipped: ChartContainer) => readonly number[]>> = {
  coordinator: portsInSection,
  'async-worker': portsInSection,
  epp: ({ container: { args } }) => args.flatMap((arg) => /^--\S+-port=(\d+)$/.exec(arg)?.[1] ?? []).map(Number),
  sidecar: (shipped) => {
    const { port, 'metrics-port': metrics } = sidecarFile.parse(fileOf(shipped));
    return [port, metrics];
  },
};

/** How each program is told of other ports, and who it is: nothing else is said to it beside its own. */
const DIFFERENCES: Readonly<Record<App, (ports: ReadonlyMap<number, number>, place: ChartPodPlace) => Differences>> = {
  coordinator: (ports) => ({ env: portsFor('COORDINATOR', ports) }),
  'async-worker': (ports) => ({ env: portsFor('ASYNC_WORKER', ports) }),
  epp: (ports, { login = {} }) => ({ ports, env: login }),
  sidecar: (ports, { login = {}, address = '127.0.0.1', engine = 0 }) => {
    const [port = 0, metrics = 0] = ports.values();
    return { flags: { port, 'metrics-port': metrics, 'model-server-port': engine }, env: login, podIp: address };
  },
};

function portsInSection(shipped: ChartContainer): readonly number[] {
  const { listen_addr: address, metrics_port: metrics } = serverFile.parse(fileOf(shipped)).server;
  return [Number(address.split(':').at(-1)), metrics];
}

/** Variables of a program that win over its section. */
function portsFor(prefix: string, ports: ReadonlyMap<number, number>): Readonly<Record<string, string>> {
  const [api = 0, metrics = 0] = ports.values();
  return { [`${prefix}_SERVER_LISTEN_ADDR`]: `127.0.0.1:${api}`, [`${prefix}_SERVER_METRICS_PORT`]: String(metrics) };
}

/** Of the only file of a container, what it says. */
function fileOf({ files }: ChartContainer): unknown {
  const [text] = files.values();
  return parse(text ?? '');
}
