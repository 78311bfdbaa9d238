import { setTimeout as sleep } from 'node:timers/promises';
import { forgetPeak } from '../programs/proc.mjs';
import { workloadNamed } from '../workloads/catalogue.mjs';
import { slice } from './slice.mjs';
import { verdict } from './statistics.mjs';

const KIB = 1024;
const MIB = 1024 * 1024;
/** Milliseconds: between two looks at a process, and how long it may take to come to rest. */
const LOOK = 500;
const REST = 15_000;
/** Seconds that clients are slow. */
const SLOW_FOR = 8;

/** What is measured about memory: `of` gives `{ value, detail }` for one program that has just started and warmed up. */
export const MEMORY = [
  open('open-1000', 1_000),
  open('open-5000', 5_000),
  open('sidecar-open-1000', 1_000, 'sidecar'),
  clients('slow-readers', {
    count: 50,
    manner: 'slowly',
    about: 'memory of each of 50 clients that take one read in 100 ms',
    target: 2,
  }),
  clients('flood', { count: 1, manner: 'never', about: '200 MiB for a client that takes nothing', target: 16 }),
  {
    name: 'aborts-5000',
    pipeline: 'relay',
    about: 'what is left of 5,000 streams that clients left at once',
    unit: 'MiB',
    target: 5,
    of: aborted,
  },
  {
    name: 'large-body',
    pipeline: 'text',
    about: 'most memory beyond idle while one request of 30 MB is served, full pipeline',
    unit: 'x its size',
    target: 2,
    // the floor has its bodies ready: it is no measure
    hasFloor: false,
    of: largeBody,
  },
];

/** Measures one of them on each program. */
export async function measureMemory(bench, { name, pipeline, about, unit, target, hasFloor = true, of }, names) {
  const programs = [];
  for (const program of names) {
    if (program === 'floor' && !hasFloor) continue;
    bench.say(`${name}: ${program}`);
    const running = await bench.programs.start(program, pipeline, { env: { BENCH_COLLECT: '1' } });
    try {
      await slice(bench, running, warmth(pipeline), { seconds: Math.min(5, bench.options.warmup) });
      const { value, detail } = await of(bench, running);
      const own = program === 'floor' ? undefined : target;
      programs.push({
        name: program,
        value,
        detail,
        target: own,
        verdict: verdict({ median: value, low: value, high: value }, own),
      });
    } finally {
      await running.stop();
    }
  }
  return { name, about, unit, programs };
}

/** Few streams: what the process needs for many is to be seen afterwards. */
function warmth(pipeline) {
  const name = { relay: 'stream-many', sidecar: 'sidecar-stream' }[pipeline] ?? 'text-8k';
  return { ...workloadNamed(name), connections: 20 };
}

function open(name, count, pipeline = 'relay') {
  const through = pipeline === 'sidecar' ? ' through the sidecar' : '';
  const about = `memory of each of ${count.toLocaleString('en')} open streams${through} that say little`;
  return {
    name,
    pipeline,
    about,
    unit: 'KiB',
    target: 40,
    of: (bench, program) => openStreams(bench, program, count),
  };
}

async function openStreams(bench, program, count) {
  await bench.upstream.call('use', ['open']);
  const idle = await settled(program);
  await bench.load.call('hold', { port: program.port, workload: 'open', count, manner: 'reads' });
  const full = await settled(program);
  const { open: stillOpen } = await bench.load.call('heldState');
  if (stillOpen !== count) throw new Error(`${program.name}: ${count - stillOpen} of ${count} streams were cut`);
  await bench.load.call('release');
  const after = await settled(program);
  return {
    value: (full.resident - idle.resident) / count / KIB,
    detail: `${mib(idle.resident)} idle, ${mib(full.resident)} open, ${mib(after.resident)} after`,
  };
}

function clients(name, { count, manner, about, target }) {
  const of = async (bench, program) => {
    await bench.upstream.call('use', ['fast']);
    const idle = await settled(program);
    forgetPeak(program.pids);
    await bench.load.call('hold', { port: program.port, workload: 'fast', count, manner });
    await sleep(SLOW_FOR * 1_000);
    const { peak } = program.memory();
    const { eventBytes } = await bench.upstream.call('counts');
    const { bytes } = await bench.load.call('heldState');
    await bench.load.call('release');
    const detail = `${mib(idle.resident)} idle, ${mib(peak)} at most; the worker could send ${mib(eventBytes)}, clients took ${mib(bytes)}`;
    return { value: (peak - idle.resident) / count / MIB, detail };
  };
  return { name, pipeline: 'relay', about, unit: 'MiB', target, of };
}

async function aborted(bench, program) {
  await bench.upstream.call('use', ['brief']);
  const leave = (count) => bench.load.call('leave', { port: program.port, workload: 'brief', count });
  await leave(500);
  const before = await settled(program);
  await leave(5_000);
  const after = await settled(program);
  const field = before.heap === undefined ? 'resident' : 'heap';
  return {
    value: (after[field] - before[field]) / MIB,
    detail: `${field === 'heap' ? 'heap' : 'resident'}: ${mib(before[field])} before, ${mib(after[field])} after`,
  };
}

async function largeBody(bench, program) {
  const size = workloadNamed('large-body').prompt.characters;
  await bench.upstream.call('use', ['large-body']);
  const idle = await settled(program);
  forgetPeak(program.pids);
  const problem = await bench.load.call('check', { port: program.port, workload: 'large-body', requests: 1 });
  if (problem !== undefined) throw new Error(`${program.name} on large-body: ${problem}`);
  const { peak } = program.memory();
  return { value: (peak - idle.resident) / size, detail: `${mib(idle.resident)} idle, ${mib(peak)} at most` };
}

/** Memory of a program that has come to rest, its garbage collected where it can be told to. */
async function settled(program) {
  const deadline = performance.now() + REST;
  const gauge = await program.gauge();
  let last = program.memory().now;
  for (let calm = 0; calm < 4 && performance.now() < deadline;) {
    await sleep(LOOK);
    const { now } = program.memory();
    calm = Math.abs(now - last) < 0.005 * last ? calm + 1 : 0;
    last = now;
  }
  return { resident: last, heap: gauge?.heap };
}

function mib(bytes) {
  return `${(bytes / MIB).toFixed(0)} MiB`;
}
