import { cpuSeconds } from '../programs/proc.mjs';
import { workloadNamed } from '../workloads/catalogue.mjs';
import { slice } from './slice.mjs';
import { medianOf } from './statistics.mjs';

/** Enough that the kernel spreads them evenly, and that a core is always busy. */
const CONNECTIONS = 96;
/** A worker's core each, and one for the upstreams and the clients each. */
const ENOUGH_CORES = 4;

/**
 * One process against two on one port, as many requests as they take. Where there are not enough cores, the drivers take
 * from the second process what it would use: `byCpu`, what the CPU of a request and the balance between the processes promise, is
 * then the figure to look at.
 */
export async function measureWorkers(bench) {
  const workload = { ...workloadNamed('text-8k'), connections: CONNECTIONS };
  const cores = { '1 process': bench.cores.program, '2 processes': twoCores(bench) };
  const programs = [];
  try {
    for (const name of Object.keys(cores))
      programs.push(await bench.programs.start(name, 'text', { cores: cores[name] }));
    const samples = programs.map(() => []);
    for (const program of programs) await slice(bench, program, workload, { seconds: bench.options.warmup });
    for (let round = 1; round <= bench.options.rounds; round++) {
      bench.say(`round ${round} of ${bench.options.rounds}: workers`);
      for (const [index, program] of programs.entries()) samples[index].push(await watched(bench, program, workload));
    }
    return summary(samples, bench.coreCount >= ENOUGH_CORES);
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
}

function twoCores({ cores, coreCount }) {
  if (cores.program === undefined) return undefined;
  return coreCount >= ENOUGH_CORES ? `${cores.program},${coreCount - 1}` : cores.all;
}

/** A slice, and how evenly its work lay on the processes: 1 is evenly, 0.5 all on one of two. */
async function watched(bench, program, workload) {
  const before = program.pids.map((pid) => cpuSeconds([pid]));
  const sample = await slice(bench, program, workload, { seconds: bench.options.seconds });
  // the supervisor does nothing
  const spent = program.pids.map((pid, index) => cpuSeconds([pid]) - before[index]).filter((time) => time > 0.02);
  const total = spent.reduce((sum, time) => sum + time, 0);
  return { ...sample, balance: total / (spent.length * Math.max(...spent)), processes: spent.length };
}

function summary([one, two], isEnough) {
  const middle = (samples, key) => medianOf(samples.map((sample) => sample[key]));
  const balance = middle(two, 'balance');
  return {
    isEnough,
    perSecond: [middle(one, 'perSecond'), middle(two, 'perSecond')],
    cpu: [middle(one, 'cpu'), middle(two, 'cpu')],
    balance,
    measured: middle(two, 'perSecond') / middle(one, 'perSecond'),
    byCpu: (2 * balance * middle(one, 'cpu')) / middle(two, 'cpu'),
  };
}
