import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Stack } from './stack.ts';

const THREAD = fileURLToPath(new URL('./process-watch.worker.mjs', import.meta.url));
/** Milliseconds between two looks. */
const INTERVAL = 10;

/** What was seen of a coordinator while something else went on. */
export interface Sightings {
  /** Milliseconds that `/healthz` took, in ascending order, without those that the machine had no core free for it. */
  readonly latencies: readonly number[];
  /** Looks at `/healthz` that were not answered, or not by 200. */
  readonly failures: number;
  /** Most resident memory seen. */
  readonly peakMiB: number;
}

/** Looks at `/healthz` and the memory of the coordinator every 10 ms while the work runs, from a thread of its own. */
export async function watched(
  {
    coordinatorUrl: url,
    coordinator,
  }: Pick<Stack, 'coordinatorUrl'> & { coordinator: Pick<Stack['coordinator'], 'pid'> },
  work: () => Promise<void>,
): Promise<Sightings> {
  const thread = new Worker(THREAD, { workerData: { url, pid: coordinator.pid, interval: INTERVAL } });
  await once(thread, 'message');
  try {
    await work();
    thread.postMessage('stop');
    // the thread's own words
    const [sightings] = (await once(thread, 'message')) as [Sightings];
    return { ...sightings, latencies: sightings.latencies.toSorted((a, b) => a - b) };
  } finally {
    await thread.terminate();
  }
}

/** The latency that `share` of the looks kept to. */
export function percentile({ latencies }: Sightings, share: number): number {
  return latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Infinity;
}
