import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { json } from '#testing';
import type { AsyncWorkerProcess } from './support/async-worker.process.ts';
import { eventually } from './support/eventually.ts';
import { QueueBench, idOf } from './support/queue-bench.ts';

jest.setTimeout(180_000);

const WORKERS = 4;
const ANSWERED_AFTER_MS = 100;
/** A lease that outlasts the test: what a worker did not give back would not be there at the end. */
const WORKER = { concurrency: 8, lease: '5m' };

describe('workers that are replaced one after another while requests come', () => {
  const sent = new Map<string, number>();
  let bench: QueueBench;
  let workers: AsyncWorkerProcess[];

  beforeAll(async () => {
    bench = await QueueBench.start(async (request, response) => {
      const id = idOf(request);
      sent.set(id, (sent.get(id) ?? 0) + 1);
      await sleep(ANSWERED_AFTER_MS);
      json(response, { id });
    });
    workers = await Promise.all(Array.from({ length: WORKERS }, () => bench.worker({ worker: WORKER })));
  });
  afterAll(async () => {
    await bench.close();
  });

  it('send each request once, lose none, and end with 0', async () => {
    let isOver = false;
    const queued: string[] = [];
    const load = async (): Promise<void> => {
      while (!isOver) {
        const id = `job-${queued.length + 1}`;
        queued.push(id);
        expect(await bench.submit({ id })).toMatchObject({ status: 202 });
        await sleep(2);
      }
    };
    const rollout = async (): Promise<void> => {
      for (const worker of workers) {
        await bench.worker({ worker: WORKER });
        await worker.stop();
      }
      isOver = true;
    };
    await Promise.all([load(), rollout()]);
    await eventually(async () => (await bench.unfinished()).length === 0);
    const results = await Promise.all(queued.map((id) => bench.mailbox(id)));
    expect(results).toEqual(
      queued.map((id) => [expect.objectContaining({ status_code: 200, payload: `{"id":"${id}"}` })]),
    );
    expect(queued.length).toBeGreaterThan(WORKERS * WORKER.concurrency);
    expect(queued.map((id) => sent.get(id))).toEqual(queued.map(() => 1));
  });
});
