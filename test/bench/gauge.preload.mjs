/**
 * Loaded into a program before its own code (`node --import`), the floor and the coordinator alike. On SIGUSR2 it says on
 * stderr what it has seen since the last time: how long the event loop was blocked, what garbage collection took, how much is in
 * the heap. With `BENCH_COLLECT` it collects garbage then. `BENCH_PROFILE` names a folder: it samples CPU and allocations, too,
 * and leaves a profile of each stretch there.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { PerformanceObserver, createHistogram } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { GAUGE_MARK } from './programs/gauge-mark.mjs';

/** Milliseconds between two looks at the event loop; a block is what comes on top. */
const RESOLUTION = 4;
const SAMPLE_MICROSECONDS = 200;
const SAMPLE_BYTES = 16_384;
const folder = process.env.BENCH_PROFILE;

const collect = process.env.BENCH_COLLECT === undefined ? () => undefined : exposedGc();
const blocks = createHistogram();
const collections = { count: 0, ms: 0, longest: 0 };
let stretches = 0;

new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    collections.count++;
    collections.ms += duration;
    collections.longest = Math.max(collections.longest, duration);
  }
}).observe({ entryTypes: ['gc'] });
watchLoop();

const parent = process.ppid;
// a harness that was killed leaves nobody to stop it
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 1_000).unref();

const session = folder === undefined ? undefined : new Session();
session?.connect();
startProfile();

process.on('SIGUSR2', () => {
  const profiles = endProfile();
  const seen = { delay: longest(), collections: { ...collections }, profiles };
  collect();
  process.stderr.write(`${GAUGE_MARK}${JSON.stringify({ ...seen, heap: process.memoryUsage().heapUsed })}\n`);
  Object.assign(collections, { count: 0, ms: 0, longest: 0 });
  blocks.reset();
  startProfile();
});

function exposedGc() {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

/**
 * Notes how long the loop's thread was busy between two looks. The time in which it waited for its core is taken off: with one core
 * pinned, the threads of V8 that collect garbage beside it have it then, or a stranger.
 */
function watchLoop() {
  let [at, waited] = [performance.now(), waitedMs()];
  setInterval(() => {
    const [now, waitedNow] = [performance.now(), waitedMs()];
    const busy = now - at - (waitedNow - waited) - RESOLUTION;
    blocks.record(Math.max(1, Math.round(busy * 1_000)));
    [at, waited] = [now, waitedNow];
  }, RESOLUTION).unref();
}

function waitedMs() {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
}

function longest() {
  return { p99: blocks.percentile(99) / 1_000, max: blocks.max / 1_000 };
}

function startProfile() {
  if (session === undefined) return;
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
  session.post('Profiler.start');
  session.post('HeapProfiler.startSampling', {
    samplingInterval: SAMPLE_BYTES,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
}

/** The files it left: posts to one's own thread are answered before they return. */
function endProfile() {
  if (session === undefined) return undefined;
  const stem = `${folder}/${process.pid}-${++stretches}`;
  const files = { cpu: `${stem}.cpuprofile`, heap: `${stem}.heapprofile` };
  session.post('Profiler.stop', (_, { profile }) => writeFileSync(files.cpu, JSON.stringify(profile)));
  session.post('HeapProfiler.stopSampling', (_, { profile }) => writeFileSync(files.heap, JSON.stringify(profile)));
  return files;
}
