import { callsOf } from '../workloads/catalogue.mjs';
import { slice } from './slice.mjs';
import { medianOf, pairedRatios, spread, verdict } from './statistics.mjs';

/** Requests that are compared byte for byte before anything is measured. */
const CHECKED = 3;
/** Above this part of a core, what drives may be what limits. */
const BUSY = 0.9;
/** Above this part of the core under test, strangers make figures doubtful. */
const STRANGERS = 0.05;

/** These have to work; of the others it is said that they did not. */
const REQUIRED = new Set(['floor', 'coordinator', 'sidecar']);
/** Part by which what a program sends may differ from what the floor sends. */
const LIKE = 0.02;

/**
 * Measures programs against each other on the workloads of one pipeline: each is started once and warmed up, then slices
 * of all of them follow one another, round by round.
 * @param plan `{ pipeline, workloads, names, targets }`: ratios are to the first name; `targets(workload, name)`
 * @returns one comparison for each workload
 */
export async function compare(bench, plan) {
  const run = { bench, plan, programs: [], failed: [] };
  try {
    for (const name of plan.names) await start(run, name);
    const entries = plan.workloads.flatMap((workload) =>
      run.programs.map((program) => ({ workload, program, samples: [], isOut: false })),
    );
    for (const entry of entries) await attempt(run, entry, checkEntry);
    for (const entry of entries) await attempt(run, entry, warmUp);
    for (let round = 1; round <= bench.options.rounds; round++) {
      for (const entry of entries) await attempt(run, entry, (one) => sample(one, round));
    }
    return plan.workloads.map((workload) => comparison(run, workload, entries));
  } finally {
    await Promise.all(run.programs.map((program) => program.stop()));
  }
}

async function start({ bench, plan, programs, failed }, name) {
  bench.say(`starting ${name} (${plan.pipeline})`);
  try {
    programs.push(await bench.programs.start(name, plan.pipeline));
  } catch (error) {
    leaveOut(bench, failed, { name }, error);
  }
}

/** Does something with a program on a workload; one that fails there is left out there. */
async function attempt({ bench, failed }, entry, work) {
  if (entry.isOut) return;
  try {
    await work({ ...entry, bench, entry });
  } catch (error) {
    entry.isOut = true;
    leaveOut(bench, failed, { name: entry.program.name, workload: entry.workload.name }, error);
  }
}

function leaveOut({ say }, failed, what, error) {
  if (REQUIRED.has(what.name)) throw error;
  failed.push({ ...what, reason: error.message.split('\n').slice(0, 3).join(' ') });
  say(`${what.name} is left out: ${error.message}`);
}

/** A few requests, their answers compared byte for byte and their calls counted. */
async function checkEntry({ bench, program: { name, port }, workload, entry }) {
  await bench.upstream.call('use', [workload.name]);
  const problem = await bench.load.call('check', { port, workload: workload.name, requests: CHECKED });
  if (problem !== undefined) throw new Error(`${name} on ${workload.name}: ${problem}`);
  const { calls, bodyBytes } = await bench.upstream.call('counts');
  for (const [phase, count] of Object.entries(callsOf(workload))) {
    const made = calls[phase] / CHECKED;
    if (made !== count) throw new Error(`${name} on ${workload.name}: ${made} ${phase} calls a request, not ${count}`);
  }
  entry.sent = Object.values(bodyBytes).reduce((sum, bytes) => sum + bytes, 0) / CHECKED;
}

async function warmUp({ bench, program, workload }) {
  bench.say(`warming up ${program.name}: ${workload.name}`);
  await slice(bench, program, workload, { seconds: bench.options.warmup });
}

async function sample({ bench, program, workload, samples }, round) {
  const { rounds, seconds } = bench.options;
  bench.say(`round ${round} of ${rounds}: ${workload.name}, ${program.name}`);
  samples.push(await slice(bench, program, workload, { seconds }));
}

function comparison({ plan, failed }, workload, entries) {
  const own = entries.filter((entry) => entry.workload === workload && !entry.isOut);
  const [base] = own;
  const baseCpu = base.samples.map(({ cpu }) => cpu);
  const programs = own.map(({ program, samples, sent }) => {
    const { name } = program;
    // a target is a ratio to the first of them
    const target = base.program.name === plan.names[0] ? plan.targets(workload, name) : undefined;
    const cpu = samples.map((one) => one.cpu);
    const isBase = name === base.program.name || program.isProgram === false;
    const ratio = isBase ? undefined : pairedRatios(cpu, baseCpu);
    const judged = ratio === undefined ? {} : { ratio, target, verdict: verdict(ratio, target) };
    const doubts = program.isProgram === false ? [] : notesOn(samples);
    return { name, ...judged, sent, ...summary(samples), notes: [...doubts, ...unlike(sent, base.sent)] };
  });
  const { name, title = name, about, unit, limit } = workload;
  return { name: title, about, unit, limit, base: base.program.name, programs, failed };
}

function unlike(sent, baseSent) {
  const part = sent / baseSent - 1;
  return Math.abs(part) > LIKE ? [`it sends ${(100 * part).toFixed(0)} % more than what it is held against`] : [];
}

function summary(samples) {
  const middle = (pick) => medianOf(samples.map(pick));
  const gauges = samples.map(({ gauge }) => gauge).filter((gauge) => gauge !== undefined);
  const times = (pick) => ({
    p50: middle((s) => pick(s).p50),
    p90: middle((s) => pick(s).p90),
    p99: middle((s) => pick(s).p99),
  });
  return {
    cpu: { ...spread(samples.map(({ cpu }) => cpu)), rounds: samples.map(({ cpu }) => cpu) },
    perSecond: middle(({ perSecond }) => perSecond),
    readsPerUnit: middle(({ readsPerUnit }) => readsPerUnit),
    bytesPerRequest: middle(({ bytesPerRequest }) => bytesPerRequest),
    share: {
      program: middle((s) => s.share.program),
      drivers: middle((s) => s.share.drivers),
      others: middle((s) => s.share.others ?? 0),
    },
    whole: times(({ whole }) => whole),
    first: times(({ first }) => first),
    ...(gauges.length === 0 ? {} : { loop: loopOf(gauges), collections: collectionsOf(samples) }),
  };
}

function loopOf(gauges) {
  return { p99: medianOf(gauges.map(({ delay }) => delay.p99)), max: spread(gauges.map(({ delay }) => delay.max)) };
}

/** Garbage collections for a thousand requests, and their part of the time under load. */
function collectionsOf(samples) {
  return {
    per1000: medianOf(samples.map(({ gauge, requests }) => (gauge.collections.count * 1_000) / requests)),
    longest: spread(samples.map(({ gauge }) => gauge.collections.longest)).high,
  };
}

/** Why the figures of a program may not be what they seem. */
function notesOn(samples) {
  const middle = (pick) => medianOf(samples.map(pick));
  const drivers = middle(({ share }) => share.drivers);
  const notes = [];
  if (drivers > BUSY) notes.push('what drives was as busy as a core can be: not valid');
  if (drivers > middle(({ share }) => share.program)) notes.push('the core under test was not the busier one');
  if (middle(({ share }) => share.others ?? 0) > STRANGERS) notes.push('other processes ran on the core under test');
  return notes;
}
