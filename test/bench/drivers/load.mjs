/** The clients: prebuilt requests over kept-alive connections, a fixed number at a time. */
import { expectedPayload, requestBytes } from '../workloads/exchange.mjs';
import { workloadNamed } from '../workloads/catalogue.mjs';
import { HeldStream } from './held-stream.mjs';
import { LoadConnection, Tally } from './load-connection.mjs';
import { dechunked } from './message-reader.mjs';
import { serve } from './rpc.mjs';

/** Streams that are being opened at one time. */
const RAMP = 50;

let connections = [];
let tallies = [];
let held = [];
/** By workload; building one of 30 MB takes a while. */
const plans = new Map();

let prefiller = '';

serve({
  ...{ open, run, close, check, hold, heldState, release, leave },
  /** Where requests are to be prefilled that a sidecar has prefilled: `host:port`. */
  prefillAt: (address) => {
    prefiller = address;
  },
});

/** @param sets `[{ workload, connections }]` */
async function open({ port, sets }) {
  tallies = sets.map(() => new Tally());
  connections = sets.flatMap(({ workload, connections: count }, set) =>
    Array.from({ length: count }, () => new LoadConnection(planOf(workload, port), tallies[set])),
  );
  await Promise.all(connections.map((connection) => connection.open()));
}

/** @returns a summary for each set, when every request that was begun has ended */
async function run({ seconds }) {
  const start = performance.now();
  const timer = setTimeout(() => {
    for (const connection of connections) connection.isRunning = false;
  }, seconds * 1_000);
  await Promise.all(connections.map((connection) => connection.run()));
  clearTimeout(timer);
  return { wall: (performance.now() - start) / 1_000, sets: tallies.map((tally) => tally.summary()) };
}

function close() {
  for (const connection of connections) connection.close();
  connections = [];
}

/** Sends requests one by one and compares the answers byte for byte. @returns what is wrong, undefined if nothing is */
async function check({ port, workload, requests }) {
  const expected = expectedPayload(workloadNamed(workload));
  for (let request = 0; request < requests; request++) {
    const tally = new Tally();
    const parts = [];
    tally.onBody = (bytes) => parts.push(Buffer.from(bytes));
    const connection = new LoadConnection(planOf(workload, port), tally);
    await connection.open();
    const ended = connection.run();
    connection.isRunning = false;
    await ended;
    connection.close();
    const body = Buffer.concat(parts);
    if (tally.completed !== 1) return `${JSON.stringify(tally.failures)} ${body.toString('utf8', 0, 300)}`;
    if (!expected.equals(dechunked(body)) && !expected.equals(body)) return 'the answer is not what was sent';
  }
  return undefined;
}

/** Opens streams and keeps them. @param manner what the client does with them, see `HeldStream` */
async function hold({ port, workload, count, manner }) {
  const { bytes } = planOf(workload, port);
  await inParallel(count, async () => {
    const stream = new HeldStream({ port, bytes, manner });
    held.push(stream);
    await stream.begun;
  });
}

function heldState() {
  return {
    open: held.filter(({ isOpen }) => isOpen).length,
    bytes: held.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function release() {
  for (const stream of held) stream.close();
  held = [];
}

/** Opens streams and leaves each at its first event. */
async function leave({ port, workload, count }) {
  const { bytes } = planOf(workload, port);
  await inParallel(count, () => new HeldStream({ port, bytes, manner: 'leaves' }).begun);
}

async function inParallel(count, work) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: Math.min(RAMP, count) }, worker));
}

function planOf(name, port) {
  const plan = plans.get(name) ?? newPlan(workloadNamed(name));
  plans.set(name, plan);
  return { ...plan, port };
}

function newPlan(workload) {
  const payloadLength = workload.name === 'open' || workload.name === 'fast' ? 0 : expectedPayload(workload).length;
  return { bytes: requestBytes(workload, 'bench.local', prefiller), payloadLength };
}
