import { workloadNamed } from '../workloads/catalogue.mjs';
import { medianOf, verdict } from './statistics.mjs';

const MIB = 1024 * 1024;
/** Seconds of load between two looks at the memory. */
const STEP = 10;
const LOOKS_A_MINUTE = 60 / STEP;
/** Requests of each kind at one time, on the text pipeline. */
const MIX = [
  { workload: 'text-200', connections: 6 },
  { workload: 'text-8k', connections: 6 },
  { workload: 'hit-8k', connections: 6 },
];
/** Streams in each step whose clients leave at the first event. */
const LEAVERS = 50;

/** Constant mixed load, with the resident memory every 10 s: the last minute is held against the second. */
export async function soak(bench, minutes) {
  const program = await bench.programs.start('coordinator', 'text');
  try {
    const series = [];
    let requests = 0;
    for (let step = 0; step < minutes * LOOKS_A_MINUTE; step++) {
      requests += await loaded(bench, program);
      series.push(program.memory().now / MIB);
      bench.say(`soak: ${step * STEP + STEP} s, ${series.at(-1).toFixed(0)} MiB`);
    }
    return { minutes, requests, series, ...judged(series) };
  } finally {
    await program.stop();
  }
}

async function loaded({ upstream, load }, { name, port }) {
  await upstream.call(
    'use',
    MIX.map(({ workload }) => workload),
  );
  await load.call('leave', { port, workload: MIX[0].workload, count: LEAVERS });
  await load.call('open', { port, sets: MIX });
  const { sets } = await load.call('run', { seconds: STEP });
  await load.call('close');
  const failed = sets.filter(({ failures }) => Object.keys(failures).length > 0);
  if (failed.length > 0)
    throw new Error(`${name} failed requests: ${JSON.stringify(failed.map(({ failures }) => failures))}`);
  return sets.reduce((sum, { completed }) => sum + completed, 0);
}

/** Needs three minutes: the first is for warming up. */
function judged(series) {
  const minute = (from) => series.slice(from, from + LOOKS_A_MINUTE);
  if (series.length < 3 * LOOKS_A_MINUTE) return { verdict: 'too short to say' };
  const [second, last] = [medianOf(minute(LOOKS_A_MINUTE)), medianOf(series.slice(-LOOKS_A_MINUTE))];
  const growth = last / second;
  return { second, last, growth, target: 1.05, verdict: verdict({ median: growth, low: growth, high: growth }, 1.05) };
}

/** Workloads of the mix, for the report. */
export function mixWords() {
  return MIX.map(({ workload, connections }) => `${connections} × ${workload} (${workloadNamed(workload).about})`).join(
    ', ',
  );
}
