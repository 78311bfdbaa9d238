import { fileURLToPath } from 'node:url';
import { ZodError, prettifyError } from 'zod';
import { examples, portTable } from './banner.ts';
import { coordinatorRequests, sidecarRequests } from './demo-requests.ts';
import { runDemo } from './demo.ts';
import { logLine } from './log-line.ts';
import { ENVOY } from './envoy-process.ts';
import { findProgram, findVersioned } from './find-program.ts';
import type { WantedProgram } from './find-program.ts';
import { ruleFiles } from './prometheus-process.ts';
import { runQueueDemo } from './queue-demo.ts';
import { REDIS } from './redis-process.ts';
import { printRequests } from './request-lines.ts';
import { RequestTraces } from './request-traces.ts';
import { HELP, stackArguments } from './stack-arguments.ts';
import type { StackArguments } from './stack-arguments.ts';
import { stackPlan } from './stack-plan.ts';
import type { StackPlan } from './stack-plan.ts';
import type { StackPrograms } from './stack-parts.ts';
import { startStack } from './stack.ts';
import type { Stack } from './stack.ts';
import { takenPorts } from './taken-ports.ts';

const COORDINATOR = fileURLToPath(new URL('../../coordinator/main.js', import.meta.url));
const PICKER = fileURLToPath(new URL('../../epp/main.js', import.meta.url));
const SIDECAR = fileURLToPath(new URL('../../sidecar/main.js', import.meta.url));
const ASYNC_WORKER = fileURLToPath(new URL('../../async-worker/main.js', import.meta.url));
const RULES = fileURLToPath(new URL('../../../../dashboards/alerts', import.meta.url));

async function main(): Promise<number> {
  const args = stackArguments(process.argv.slice(2));
  if (args.help) {
    write(HELP);
    return 0;
  }
  return run(args, untilStopped());
}

async function run(args: StackArguments, stopped: Promise<void>): Promise<number> {
  const programs = programsFor(args);
  const plan = await planFor(args, programs.prometheus !== undefined);
  const traces = args.traces ? new RequestTraces(args.demo ? undefined : write) : undefined;
  write('Starting ...\n');
  const starting = startStack(plan, { ...programs, tracing: await traces?.listen() });
  const stack = await Promise.race([starting, stopped]);
  if (stack === undefined) return 0; // what was started goes with this process
  write(`\n${portTable(plan)}\n`);
  if (traces !== undefined) stack.requests.onFinished((call) => traces.clientCall(call));
  try {
    return args.demo
      ? await demo(stack, plan, traces, stopped)
      : await serve(stack, args.quiet, examples(plan), stopped);
  } finally {
    await stack.stop();
    await traces?.close();
    write('Stopped.\n');
  }
}

/** @throws Error where one is wanted that cannot be had */
function programsFor(args: StackArguments): StackPrograms {
  const prometheus = prometheusFor(args);
  return {
    coordinatorMain: COORDINATOR,
    pickerMain: PICKER,
    sidecarMain: SIDECAR,
    asyncWorkerMain: ASYNC_WORKER,
    envoy: args.envoy ? found(ENVOY, args.envoyProgram) : undefined,
    redis: args.async ? found(REDIS, args.redisProgram) : undefined,
    prometheus: prometheus === undefined ? undefined : { program: prometheus, rules: ruleFiles(RULES) },
    print: (program, line) => {
      write(`  ${program} | ${logLine(line)}\n`);
    },
  };
}

function found(wanted: WantedProgram, named: string | undefined): string {
  const { program, version } = findVersioned(wanted, named);
  write(`${wanted.title} ${version}: ${program}\n`);
  return program;
}

/** The program, where it is wanted and there. */
function prometheusFor({ prometheus, demo: isDemo }: StackArguments): string | undefined {
  if (prometheus === false || (prometheus === undefined && isDemo)) return undefined;
  const found = findProgram('prometheus');
  if (found === undefined && prometheus === true) throw new Error('prometheus is not on the PATH');
  return found;
}

/** Prometheus that nobody asked for gives way to whoever has its port. */
async function planFor(args: StackArguments, withPrometheus: boolean): Promise<StackPlan> {
  const plan = stackPlan(args, withPrometheus);
  const port = plan.ports.get('prometheus');
  if (port === undefined || args.prometheus === true) return plan;
  if ((await takenPorts(plan.host, new Map([['prometheus', port]]))).length === 0) return plan;
  write(`Port ${port} is taken: no Prometheus. Another one: --port prometheus=${port + 100}\n`);
  return stackPlan(args);
}

async function demo(
  stack: Stack,
  plan: StackPlan,
  traces: RequestTraces | undefined,
  stopped: Promise<void>,
): Promise<number> {
  const left = Promise.race([stopped, stack.ended]).then((ended) => {
    throw new Error(ended === undefined ? 'stopped before the demo was over' : endedText(ended));
  });
  const more = traces && ((requestId: string) => traces.of(requestId));
  await Promise.race([demoFor(stack, plan, more), left]);
  return 0;
}

function demoFor(stack: Stack, plan: StackPlan, more: ((requestId: string) => Promise<string>) | undefined) {
  const { model } = plan.simulator;
  if (plan.queue !== undefined) return runQueueDemo(stack, model, write, more);
  const requests = plan.sidecars.length > 0 ? sidecarRequests(stack.mediaUrl) : coordinatorRequests(stack.mediaUrl);
  return runDemo(stack, { model, requests }, write, more);
}

async function serve(
  { requests, ended }: Stack,
  quiet: boolean,
  text: string,
  stopped: Promise<void>,
): Promise<number> {
  if (!quiet) {
    write(text);
    printRequests(requests, (line) => {
      write(`${line}\n`);
    });
  }
  write('\nReady. Ctrl-C stops it.\n\n');
  const gone = await Promise.race([stopped, ended]);
  if (gone === undefined) {
    write('\nStopping ...\n');
    return 0;
  }
  write(`${endedText(gone)}\n`);
  return 1;
}

function endedText({ part, code }: Awaited<Stack['ended']>): string {
  return `${part} ended by itself, ${code === null ? 'by a signal' : `code ${code}`}.`;
}

const SAME_TELLING_MS = 1000;

/**
 * Resolves at Ctrl-C, SIGTERM, or the end of the parent that holds the channel. Terminal and parent both pass a signal on, so a second one
 * counts only when it comes later: it ends the process at once.
 */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const told = (): void => {
      first ??= Date.now();
      if (Date.now() - first > SAME_TELLING_MS) process.exit(130);
      resolve();
    };
    for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(event, told);
  });
}

function write(text: string): void {
  process.stdout.write(text);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(
      `\n${error instanceof ZodError ? prettifyError(error) : error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exit(1);
  },
);
