import { isWanted } from '../options.mjs';
import { WORKLOADS, workloadNamed } from '../workloads/catalogue.mjs';
import { compare } from './comparison.mjs';
import { machine, version } from './machine.mjs';
import { MEMORY, measureMemory } from './memory.mjs';
import { soak } from './soak.mjs';
import { measureWorkers } from './workers.mjs';

/** The form of results.json; another number when it changes. */
export const FORMAT = 1;

/** Programs that promises are made of. */
const OWN = new Set(['coordinator', 'sidecar']);
const TELEMETRY = ['off', 'metrics', 'traces 1 %', 'traces 100 %'];
const TELEMETRY_TARGETS = {
  'telemetry-200': { metrics: 1.15, 'traces 1 %': 1.15, 'traces 100 %': 1.35 },
  'telemetry-8k': { metrics: 1.03, 'traces 1 %': 1.03 },
};
/** What telemetry costs is measured on these, under names of their own. */
const TELEMETRY_WORKLOADS = [
  { ...workloadNamed('text-200'), title: 'telemetry-200' },
  { ...workloadNamed('text-8k'), title: 'telemetry-8k' },
];

/** Names and words of everything that can be measured. */
export function catalogue() {
  const telemetry = TELEMETRY_WORKLOADS.map(({ title, about }) => ({
    name: title,
    about: `${about}: ${TELEMETRY.join(', ')}`,
  }));
  const workers = { name: 'workers', about: 'one process and two on one port' };
  return [...WORKLOADS, ...telemetry, workers, ...MEMORY].map(({ name, about }) => ({ name, about }));
}

/** Measures what the options ask for. @returns what results.json holds */
export async function measure(bench) {
  const { options, programs, cores, root } = bench;
  const started = new Date().toISOString();
  const comparisons = [];
  for (const plan of plansOf(options, programs)) comparisons.push(...(await compare(bench, plan)));
  const telemetry = await measureTelemetry(bench);
  const workers = isWanted(options, 'workers') ? await measureWorkers(bench) : undefined;
  const memory = [];
  for (const one of MEMORY) {
    if (isWanted(options, one.name))
      memory.push(await measureMemory(bench, one, programs.rivalsWithMemory(one.pipeline)));
  }
  const soaked = options.soak > 0 ? await soak(bench, options.soak) : undefined;
  const { rounds, seconds, warmup, peer } = options;
  const settings = { rounds, seconds, warmup, peer };
  const head = {
    format: FORMAT,
    started,
    ended: new Date().toISOString(),
    version: version(root),
    machine: machine(cores),
    settings,
  };
  return { ...head, comparisons, telemetry, workers, memory, soak: soaked };
}

/** The workloads that are wanted, by the pipeline that they need. */
function plansOf(options, programs) {
  const wanted = WORKLOADS.filter(({ name }) => isWanted(options, name));
  const targets = (workload, name) => (OWN.has(name) ? workload.target : undefined);
  return Object.entries(Object.groupBy(wanted, ({ pipeline }) => pipeline)).map(([pipeline, workloads]) => ({
    pipeline,
    workloads,
    names: programs.rivalsOn(pipeline),
    targets,
  }));
}

async function measureTelemetry(bench) {
  const workloads = TELEMETRY_WORKLOADS.filter(({ title }) => isWanted(bench.options, title));
  if (workloads.length === 0) return [];
  const targets = ({ title }, program) => TELEMETRY_TARGETS[title]?.[program];
  return compare(bench, { pipeline: 'text', workloads, names: TELEMETRY, targets });
}
