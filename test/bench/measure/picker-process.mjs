import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pinned, placement } from '../programs/cores.mjs';
import { freePort } from '../programs/free-port.mjs';
import { Helper } from '../programs/helper.mjs';
import { imageFlags } from '../programs/image-flags.mjs';
import { forgetPeak } from '../programs/proc.mjs';
import { Program } from '../programs/program.mjs';

const here = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const MAIN = here('dist/apps/epp/main.js');
const CONFIG = here('config/epp/coordinator.yaml');
const MIB = 1024 * 1024;
/** Requests that are in flight. */
const AT_A_TIME = 8;
/** Bytes of a prompt of 10k tokens, and of one that is as long as the picker looks. */
const [USUAL, LONGEST] = [40_000, 524_288];
const EVENTS = 101;
/** Slices of load before anything is measured: code is cold for some ten seconds. */
const WARM = 5;
/** Blocks that a pod is taken to hold where it says nothing. */
export const BLOCKS = 31_250;
/** An index is full where so much of it is: pods that chance passed over have less. */
const FULL = 0.95;
/** Seconds that the index is filled for at most. */
const FILL_FOR = 240;
const FILL_STEP = 5;

/**
 * What the built picker costs with so many endpoints, in the configuration of the chart: at rest, where it reads their metrics; a request
 * of 10k tokens with a short answer; an event of a longer one; and its memory, when all is new and when it knows as much as it can.
 * @returns microseconds of CPU, shares of a core, MiB
 */
export async function measuredPicker(endpoints, seconds) {
  const cores = placement();
  const envoy = new Helper('envoy.mjs', cores.load);
  const picker = await startPicker(endpoints, await envoy.call('listen'), cores.program);
  try {
    return { endpoints, ...(await figuresOf(picker, envoy, { endpoints, seconds })) };
  } finally {
    await picker.stop();
    envoy.stop();
  }
}

async function figuresOf(picker, envoy, { endpoints, seconds }) {
  const ask = (load) =>
    envoy.call('exchanges', { port: picker.grpcPort, atATime: AT_A_TIME, bytes: USUAL, events: 1, seconds, ...load });
  await ask({ seconds: seconds * WARM });
  const idleMib = picker.memory().now / MIB;
  const idle = (await costOf(picker, () => sleep(seconds * 1_000))) / (seconds * 1e6);
  const short = await costOfRequest(picker, { idle, seconds }, () => ask({}));
  const long = await costOfRequest(picker, { idle, seconds }, () => ask({ events: EVENTS }));
  forgetPeak(picker.pids);
  const blocks = await fill(picker, ask, endpoints * BLOCKS * FULL);
  const { now, peak } = picker.memory();
  return {
    idle,
    request: short,
    event: (long - short) / (EVENTS - 1),
    ...{ idleMib, blocks, fullMib: now / MIB, peakMib: peak / MIB },
  };
}

/** Of a request alone: what the picker does anyway is taken off. */
async function costOfRequest(picker, { idle, seconds }, load) {
  let completed = 0;
  const spent = await costOf(picker, async () => (completed = await load()));
  return (spent - idle * seconds * 1e6) / completed;
}

/** Microseconds of CPU. */
async function costOf(picker, work) {
  const before = picker.cpuSeconds();
  await work();
  return (picker.cpuSeconds() - before) * 1e6;
}

/** Long prompts, none like another, until the index is as full as it gets. @returns blocks in it */
async function fill(picker, ask, wanted) {
  let blocks = 0;
  for (let spent = 0; spent < FILL_FOR && blocks < wanted; spent += FILL_STEP) {
    await ask({ bytes: LONGEST, seconds: FILL_STEP });
    blocks = await blocksOf(picker);
  }
  return blocks;
}

async function blocksOf({ port }) {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^llm_d_epp_prefix_indexer_size\{[^}]*\} (\S+)$/m.exec(page)?.[1] ?? 0);
}

async function startPicker(endpoints, podPort, cores) {
  const [grpcPort, health, port] = [await freePort(), await freePort(), await freePort()];
  const flags = [
    ...[`--config-file=${CONFIG}`, `--endpoints=${endpointsOf(endpoints, podPort)}`],
    ...[`--grpc-port=${grpcPort}`, `--grpc-health-port=${health}`, `--metrics-port=${port}`],
    // the gateway's connection lasts: what TLS costs a byte is little beside the rest
    ...['--secure-serving=false', '--tracing=false', '--metrics-endpoint-auth=false', '--enable-grpc-stream-metrics'],
  ];
  const command = pinned(cores, [process.execPath, ...imageFlags(), MAIN, ...flags]);
  const picker = new Program(command, { name: 'the picker', port, readiness: '/metrics' });
  await picker.ready();
  return Object.assign(picker, { grpcPort });
}

/** Each is another address of this machine. */
function endpointsOf(count, port) {
  return Array.from({ length: count }, (_, index) => {
    const role = index % 2 === 0 ? 'prefill' : 'decode';
    return `pod-${index}=127.1.${index >> 8}.${(index & 255) + 1}:${port};role=${role}`;
  }).join(',');
}
