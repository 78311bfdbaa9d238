import { describe, expect, it, jest } from '@jest/globals';
import { WorkerKeys } from '#broker';
import { json } from '#testing';
import type { LeasedMessage } from '../../libs/dispatch/src/leased.message.ts';
import { errorResult } from '../../libs/dispatch/src/result-text.ts';
import { NOTHING_KEPT, QUEUE } from './async-worker.fixture.ts';
import type { WorkerBench } from './async-worker.fixture.ts';
import { eventually } from './broker.fixture.ts';
import { workerBenches } from './worker-benches.fixture.ts';

jest.setTimeout(90_000);

const start = workerBenches();

/** What a worker has that takes one message, and then disappears. */
async function takenByOne(bench: WorkerBench, lease: number): Promise<LeasedMessage> {
  const limits = { holder: 'gone', lease, count: 1, bytes: 1e9, firstBytes: 1e9 };
  const { messages } = await bench.queue().take(limits);
  const [message] = messages;
  if (message === undefined) throw new Error('nothing was taken');
  return message;
}

const endingOf = (bench: WorkerBench, id: string, token: string) => ({
  keys: bench.keys.of('team-a', id),
  token,
  result: errorResult(`team-a:${id}`, 'RETRIES_EXHAUSTED'),
  ttl: 60,
});

describe('the async worker, leases', () => {
  it('does what a worker had that disappeared, when its lease is over', async () => {
    const bench = await start();
    await bench.enqueue('job-1');
    const message = await takenByOne(bench, 700);
    const worker = await bench.worker();
    expect(await bench.answer('job-1')).toBe('pending');
    expect((await bench.answered('job-1')).status).toBe(200);
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.recoveries).toEqual([`${QUEUE} lease 1`]);
    expect(worker.observer.ended[0]?.dispatch.attempt).toBe(2);
    // the worker that disappeared comes back
    expect(await bench.queue().finish(message, endingOf(bench, 'job-1', message.receipt))).toBe('lost');
    expect(await bench.queue().retry(message, 0, true)).toBe('lost');
    expect(await bench.queue().giveBack(message)).toBe('lost');
    expect((await bench.answered('job-1')).status).toBe(200);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });

  it('refuses what a worker has to say whose message is somebody else’s by now', async () => {
    const bench = await start();
    await bench.enqueue('job-1');
    const first = await takenByOne(bench, 1);
    await eventually(async () => (await bench.queue().recover()).lease === 1);
    const second = { ...(await takenByOne(bench, 60_000)), holder: 'gone' };
    const stale = { ...first, holder: 'stale' };
    expect(await bench.queue().renew([{ message: stale, cancelMark: undefined }], 60_000)).toEqual(['lost']);
    expect(await bench.queue().finish(stale, endingOf(bench, 'job-1', first.receipt))).toBe('lost');
    expect(await bench.queue().renew([{ message: second, cancelMark: undefined }], 60_000)).toEqual(['held']);
    expect(await bench.queue().finish(second, endingOf(bench, 'job-1', first.receipt))).toBe('done');
    expect((await bench.answered('job-1')).status).toBe(502);
  });

  it('keeps a message for as long as its call takes', async () => {
    let answer: (() => void) | undefined;
    const bench = await start((_, response) => void (answer = () => json(response, '{}')));
    const workers = [await bench.worker({ worker: { lease: '4s' } }), await bench.worker({ worker: { lease: '4s' } })];
    await bench.enqueue('job-1');
    await bench.upstream.received(1);
    const { leases } = new WorkerKeys(QUEUE);
    const endOf = async (): Promise<number> => (await bench.redis.zRangeWithScores(leases, 0, 0))[0]?.score ?? 0;
    const first = await endOf();
    await eventually(async () => (await endOf()) > first + 2_000);
    answer?.();
    expect((await bench.answered('job-1')).status).toBe(200);
    expect(bench.upstream.requests).toHaveLength(1);
    expect(workers.flatMap(({ observer }) => observer.recoveries)).toEqual([]);
  });

  it('breaks a call off whose message another has', async () => {
    const bench = await start((_, response) => {
      if (bench.upstream.requests.length > 1) json(response, '{"by":"other"}');
    });
    const worker = await bench.worker({ worker: { lease: '1s', concurrency: 1 } });
    await bench.enqueue('job-1');
    await bench.upstream.received(1);
    // as if this worker had been away for longer than its lease
    const { leases } = new WorkerKeys(QUEUE);
    for (const receipt of await bench.redis.zRange(leases, 0, -1))
      await bench.redis.zAdd(leases, { score: 1, value: receipt });
    const other = await bench.worker();
    expect(await bench.answered('job-1')).toEqual({ status: 200, text: '{"by":"other"}' });
    expect(await bench.upstream.requests[0]?.aborted).toBe(true);
    await eventually(() => worker.observer.outcomes.includes('lost'));
    expect([...other.observer.outcomes, ...worker.observer.outcomes].toSorted()).toEqual(['delivered', 'lost']);
  });

  it('makes a message that takes every worker along a dead letter', async () => {
    const bench = await start();
    await bench.enqueue('job-1');
    for (let tries = 0; tries < 3; tries++) {
      expect((await takenByOne(bench, 1)).tries).toBe(tries);
      await eventually(async () => (await bench.queue().recover()).lease === 1);
    }
    const worker = await bench.worker({ worker: { max_attempts: 3 } });
    expect((await bench.answered('job-1')).status).toBe(502);
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.ended[0]?.end).toMatchObject({ outcome: 'dead', reason: 'worker_lost' });
    expect(bench.upstream.requests).toEqual([]);
  });
});

describe('the async worker, messages that look alike', () => {
  it('holds bytes once that are queued again while they are held', async () => {
    const bench = await start();
    await bench.enqueue('job-1');
    const message = await takenByOne(bench, 60_000);
    await bench.put(message.member);
    expect(
      (await bench.queue().take({ holder: 'other', lease: 1000, count: 9, bytes: 1e9, firstBytes: 1e9 })).messages,
    ).toEqual([]);
    expect(await bench.redis.exists(QUEUE)).toBe(0);
    expect(await bench.queue().giveBack(message)).toBe('done');
    expect(await bench.redis.zCard(QUEUE)).toBe(1);
  });

  it('holds both of two messages that claim one token, and delivers one result', async () => {
    const bench = await start();
    await bench.enqueue('job-1');
    const message = await takenByOne(bench, 60_000);
    await bench.put(message.member.toString().replace('"model":"m"', '"model":"other"'));
    await bench.queue().giveBack(message);
    const worker = await bench.worker();
    await eventually(() => worker.observer.ended.length === 2);
    expect(worker.observer.outcomes).toEqual(['delivered', 'delivered']);
    expect((await bench.answered('job-1')).status).toBe(200);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });
});
