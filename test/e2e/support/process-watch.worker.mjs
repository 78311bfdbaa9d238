// The thread behind process-watch.ts: a thread of its own, since the tests keep the main one busy with bodies of many megabytes.
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, pid, interval } = workerData;
const agent = new Agent({ keepAlive: true });
const latencies = [];
let failures = 0;
let peakMiB = 0;
let open = 0;

// the first at once: what is watched may be over before the second
look();
const timer = setInterval(look, interval);

parentPort.once('message', async () => {
  clearInterval(timer);
  const deadline = performance.now() + 5000;
  while (open > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
  agent.destroy();
  parentPort.postMessage({ latencies, failures: failures + open, peakMiB });
});
parentPort.postMessage('watching');

/** Begins a look whether or not the one before it has ended, so that a halt is seen by all that fall into it. */
function look() {
  peakMiB = Math.max(peakMiB, residentMiB());
  const began = performance.now() - waitedForCore();
  open += 1;
  get(`${url}/healthz`, { agent }, (response) => {
    if (response.statusCode !== 200) failures += 1;
    response.resume().once('close', () => {
      latencies.push(performance.now() - waitedForCore() - began);
      open -= 1;
    });
  }).once('error', () => {
    failures += 1;
    open -= 1;
  });
}

function residentMiB() {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

/** Milliseconds that the coordinator and this thread were ready to run and others had the cores. */
function waitedForCore() {
  const [coordinator, own] = [`/proc/${pid}/schedstat`, '/proc/thread-self/schedstat'].map(
    (file) => Number(read(file).split(' ')[1] ?? 0) / 1e6,
  );
  return coordinator + own;
}

/** Nothing once the process is gone. */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
