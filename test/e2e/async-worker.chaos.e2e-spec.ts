import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AsyncWorkerProcess } from './support/async-worker.process.ts';
import { ChaosAnswers } from './support/chaos.answers.ts';
import { ChaosEvents } from './support/chaos.events.ts';
import { ChaosWitness } from './support/chaos.witness.ts';
import { eventually } from './support/eventually.ts';
import { QUEUE, QueueBench } from './support/queue-bench.ts';
import type { Asked, Result } from './support/queue-bench.ts';

jest.setTimeout(300_000);

const COUNT = 10_000;
const WORKERS = 4;
/** Requests that are submitted at a time. */
const LANES = 48;
const TENANTS = 5;
const SEED = 138;
const WORKER = {
  ...{ concurrency: 48, lease: '2s', poll_interval: '20ms', max_attempts: 8 },
  backoff: { initial: '50ms', max: '400ms' },
};

type Named = Required<Pick<Asked, 'id' | 'tenant'>>;

describe(`${COUNT} requests and ${WORKERS} workers, which are killed while Redis is restarted and stopped`, () => {
  const answers = new ChaosAnswers();
  const requests: readonly Named[] = Array.from({ length: COUNT }, (_, number) => ({
    id: `job-${number}`,
    tenant: `team-${number % TENANTS}`,
  }));
  let bench: QueueBench;
  let witness: ChaosWitness;
  let events: ChaosEvents;
  let workers: AsyncWorkerProcess[];

  beforeAll(async () => {
    bench = await QueueBench.start(answers.answer);
    witness = new ChaosWitness(
      bench.client,
      requests.map((request) => `results:req:${nameOf(request)}`),
    );
    const launch = () => bench.launchedWorker({ worker: WORKER });
    workers = await Promise.all(Array.from({ length: WORKERS }, launch));
    events = new ChaosEvents(bench, workers, launch, SEED);
  });
  afterAll(async () => {
    await bench.close();
  });

  it('end with one result each, that does not change, or with one and a dead letter', async () => {
    const began = performance.now();
    await Promise.all([submitted(), trouble()]);
    await eventually(async () => {
      await witness.look();
      return witness.seen === COUNT;
    });
    await eventually(async () => (await bench.unfinished()).length === 0);
    await witness.look();
    expect(witness.contradictions).toEqual([]);
    tell((performance.now() - began) / 1000);
  });

  it('leave workers behind that have nothing to do, and end with 0', async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  it('have an answer that was made for each of them, or the word that there is none', () => {
    for (const [number, request] of requests.entries()) {
      const { id, status_code: status = 0, payload = '', error_code: code } = resultOf(number);
      expect(id).toBe(nameOf(request));
      if (status === 0) expect(code).toMatch(/^(WORKER_LOST|RETRIES_EXHAUSTED)$/);
      else expect(JSON.parse(payload)).toMatchObject({ number });
    }
  });

  it('are dead letters where they failed too often, and no others are', async () => {
    const letters = await deadLetters();
    const failed = requests.flatMap((request, number) => {
      const { status_code: status = 0, error_code: code = '' } = resultOf(number);
      const isFailed = status === 503 || ['WORKER_LOST', 'RETRIES_EXHAUSTED'].includes(code);
      return isFailed ? request : [];
    });
    expect(letters.map(nameOf).toSorted()).toEqual(failed.map(nameOf).toSorted());
    const hopeless = answers.hopeless(COUNT).flatMap((number) => requests[number] ?? []);
    expect(failed).toEqual(expect.arrayContaining(hopeless));
  });

  /** Each until the coordinator has taken it: a request that is refused may be queued all the same, and its id leads to it. */
  async function submitted(): Promise<void> {
    const left = requests.values();
    const lane = async (): Promise<void> => {
      for (const request of left) {
        while ((await bench.submit(request).catch(() => undefined))?.status !== 202) await sleep(50);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  /** Spread over the whole of the work, however fast that is. */
  async function trouble(): Promise<void> {
    for (let place = 0; place < events.count; place++) {
      const due = ((place + 1) * COUNT) / (events.count + 2);
      await eventually(() => answers.final.size >= due);
      await witness.look();
      await events.happen(place);
    }
  }

  async function deadLetters(): Promise<readonly Named[]> {
    const letters = await bench.client.hVals(`async-worker:letters:${QUEUE}`);
    return letters.map((text) => JSON.parse(text) as Named); // the worker's own words
  }

  function resultOf(number: number): Result {
    return JSON.parse(witness.results[number] ?? '{}') as Result; // coordinator.md C.9 has the shape
  }

  function tell(seconds: number): void {
    const codes = requests.map((_, number) => resultOf(number).status_code ?? 0);
    const counted = [...new Set(codes)]
      .toSorted()
      .map((code) => `${code}: ${codes.filter((one) => one === code).length}`);
    const done = Object.entries(events.done).map(([kind, times]) => `${kind} ${times}`);
    process.stdout.write(
      `${COUNT} requests in ${seconds.toFixed(1)} s, ${answers.calls} calls; results ${counted.join(', ')}; ${done.join(', ')}\n`,
    );
  }
});

/** As `data.id` of the envelope, and of the result. */
function nameOf({ id, tenant }: Named): string {
  return `${tenant}:${id}`;
}
