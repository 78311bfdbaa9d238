import type { Simulation } from '../cluster.ts';
import type { ChildProgram } from './child-program.ts';
import { ConfiguredProcess } from './configured-process.ts';
import { EnvoyProcess } from './envoy-process.ts';
import { PickerProcess } from './picker-process.ts';
import type { Variables } from './program-environment.ts';
import { PrometheusProcess } from './prometheus-process.ts';
import { RedisProcess } from './redis-process.ts';
import { SidecarProcess } from './sidecar-process.ts';
import type { StackPlan } from './stack-plan.ts';

/** The programs that parts are made of, and where their words go. */
export interface StackPrograms {
  /** The built coordinator. */
  readonly coordinatorMain: string;
  /** The built endpoint picker. */
  readonly pickerMain: string;
  /** The built decode sidecar. */
  readonly sidecarMain: string;
  /** The built async worker. */
  readonly asyncWorkerMain: string;
  /** Where the plan has one. */
  readonly envoy?: string | undefined;
  /** Likewise. */
  readonly redis?: string | undefined;
  /** Variables that switch tracing on; undefined leaves it as the environment says. */
  readonly tracing?: Variables | undefined;
  /** Prometheus with its rule files; started where the plan has a port for it. */
  readonly prometheus?: { readonly program: string; readonly rules: readonly string[] } | undefined;
  /** Gets each line that a program writes, and the program's name. */
  readonly print: (program: string, line: string) => void;
}

/** A program that was started, and when it is ready. */
export interface StartedPart {
  readonly program: ChildProgram;
  readonly ready: Promise<void>;
}

/** A program of the stack. */
export interface Part {
  readonly name: string;
  /** The stack goes on without it. */
  readonly isOptional: boolean;
  /** The parts behind it are started when it is ready: they look at it at once. */
  readonly isWaitedFor?: boolean;
  start(print: (line: string) => void): StartedPart;
}

/** Each kind of part, none or several of it as the plan says. Whoever calls another stands behind it: parts are stopped from the end. */
const KINDS: readonly ((plan: StackPlan, programs: StackPrograms, servers: Simulation) => readonly Part[])[] = [
  redis,
  sidecars,
  pickers,
  envoy,
  coordinator,
  asyncWorker,
  prometheus,
];

/** What is started beside the simulated servers. */
export function stackParts(plan: StackPlan, programs: StackPrograms, servers: Simulation): Part[] {
  return KINDS.flatMap((kind) => kind(plan, programs, servers));
}

function pickers({ pickers: plans }: StackPlan, { pickerMain, tracing }: StackPrograms): Part[] {
  return plans.map((plan) => ({
    name: plan.name,
    isOptional: false,
    start: (print) => {
      const program = new PickerProcess(pickerMain, plan, print, tracing);
      return { program, ready: program.ready() };
    },
  }));
}

function sidecars({ sidecars: plans }: StackPlan, { sidecarMain, tracing }: StackPrograms): Part[] {
  return plans.map((plan) => ({
    name: plan.name,
    isOptional: false,
    isWaitedFor: true,
    start: (print) => {
      const program = new SidecarProcess(sidecarMain, plan, print, tracing);
      return { program, ready: program.ready() };
    },
  }));
}

function envoy({ envoy: plan }: StackPlan, { envoy: command }: StackPrograms, { requests }: Simulation): Part[] {
  if (plan === undefined || command === undefined) return [];
  const start: Part['start'] = (print) => {
    const program = new EnvoyProcess(command, plan, print, (call) => requests.record(call));
    return { program, ready: program.ready() };
  };
  return [{ name: 'envoy', isOptional: false, start }];
}

function coordinator({ coordinator: plan }: StackPlan, { coordinatorMain: main, tracing }: StackPrograms): Part[] {
  if (plan === undefined) return [];
  const { config, url } = plan;
  const start: Part['start'] = (print) => {
    const program = new ConfiguredProcess({ name: 'the coordinator', main, config, url }, print, tracing);
    return { program, ready: program.ready() };
  };
  return [{ name: 'coordinator', isOptional: false, start }];
}

/** Coordinator and async worker look for it when they start. */
function redis({ queue: plan }: StackPlan, { redis: command }: StackPrograms): Part[] {
  if (plan === undefined || command === undefined) return [];
  const start: Part['start'] = (print) => {
    const program = new RedisProcess(command, plan.redisPort, print);
    return { program, ready: program.ready() };
  };
  return [{ name: 'redis', isOptional: false, isWaitedFor: true, start }];
}

function asyncWorker({ queue: plan }: StackPlan, { asyncWorkerMain: main, tracing }: StackPrograms): Part[] {
  if (plan === undefined) return [];
  const { worker: config, workerUrl: url } = plan;
  const start: Part['start'] = (print) => {
    const program = new ConfiguredProcess({ name: 'the async worker', main, config, url }, print, tracing);
    return { program, ready: program.ready() };
  };
  return [{ name: 'async-worker', isOptional: false, start }];
}

function prometheus(plan: StackPlan, { prometheus: own }: StackPrograms, servers: Simulation): Part[] {
  const { host, ports } = plan;
  const port = ports.get('prometheus');
  if (own === undefined || port === undefined) return [];
  const jobs = jobsOf(plan, servers);
  const start: Part['start'] = (print) => {
    const program = new PrometheusProcess(own.program, { host, port, jobs, rules: own.rules }, print);
    return { program, ready: program.ready() };
  };
  return [{ name: 'prometheus', isOptional: true, start }];
}

/** Whose metrics there are, by the job that the dashboards know them by. */
function jobsOf(
  { host, ports, pickers: epps, sidecars: proxies, coordinator: plan, queue }: StackPlan,
  { workers }: Simulation,
) {
  const at = (port: number | undefined): string => `${host}:${port ?? 0}`;
  return {
    ...(plan === undefined ? {} : { coordinator: [at(ports.get('metrics'))] }),
    ...(queue === undefined ? {} : { 'async-worker': [at(ports.get('async-worker-metrics'))] }),
    epp: epps.map(({ adminPort }) => at(adminPort)),
    ...(proxies.length === 0 ? {} : { sidecar: proxies.map(({ metricsPort }) => at(metricsPort)) }),
    vllm: workers.map(({ port }) => at(port)),
  };
}
