import { describe, expect, it, jest } from '@jest/globals';
import { WorkerKeys } from '#broker';
import { json } from '#testing';
import type { Handler } from '#testing';
import { NOTHING_KEPT, QUEUE, idIn, payloadOf } from './async-worker.fixture.ts';
import { eventually } from './broker.fixture.ts';
import { workerBenches } from './worker-benches.fixture.ts';

jest.setTimeout(90_000);

const start = workerBenches();

const refusing =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(`{"status":${status}}`);
  };

const breaking: Handler = (_, response) => void response.destroy();

describe('the async worker, an answer that is final', () => {
  it.each([200, 201, 302, 400, 401, 403, 404, 413, 422, 499])('delivers %i as it is, after one try', async (status) => {
    const bench = await start(refusing(status));
    const worker = await bench.worker();
    await bench.enqueue('job-1');
    expect(await bench.answered('job-1')).toEqual({ status, text: `{"status":${status}}` });
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.ended.map(({ end }) => end)).toEqual([{ outcome: 'delivered', status }]);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });
});

describe('the async worker, an answer that may be better later', () => {
  it.each([408, 425, 429, 500, 502, 503, 504])('has a request that was answered with %i wait', async (status) => {
    const bench = await start(refusing(status));
    const worker = await bench.worker({ worker: { backoff: { initial: '10s' } } });
    const keys = await bench.enqueue('job-1', { seconds: 600 });
    const [before] = await bench.redis.zRangeWithScores(QUEUE, 0, 0);
    await eventually(() => worker.observer.outcomes.includes('retried'));
    expect(await bench.kept()).toEqual({ ...NOTHING_KEPT, holders: 1, taken: 1, retries: 1 });
    const due = await bench.dueIn();
    expect(due).toBeGreaterThan(4_000);
    expect(due).toBeLessThanOrEqual(10_000);
    expect(worker.observer.ended[0]?.end).toMatchObject({ outcome: 'retried', status });
    const [member] = Object.values(await bench.redis.hGetAll(new WorkerKeys(QUEUE).taken));
    expect(member).toContain('","retry_count":1,');
    expect(await bench.redis.exists(keys.active)).toBe(1);
    expect(before === undefined || member?.length === before.value.length + '"retry_count":1,'.length).toBe(true);
  });

  it('does the same when there is no answer', async () => {
    const bench = await start(breaking);
    const worker = await bench.worker({ worker: { backoff: { initial: '10s' } } });
    await bench.enqueue('job-1');
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.ended[0]?.end).toMatchObject({ outcome: 'retried', failure: 'upstream_unreachable' });
    expect(await bench.answer('job-1')).toBe('pending');
  });

  it('doubles the wait with each try, and brings the request to its end', async () => {
    let tries = 0;
    const bench = await start((_, response) => {
      tries++;
      json(response, '{"ok":true}', tries < 4 ? 503 : 200);
    });
    const worker = await bench.worker({ worker: { backoff: { initial: '100s', max: '300s' } } });
    await bench.enqueue('job-1', { seconds: 6000 });
    for (let done = 1; done < 4; done++) {
      await eventually(() => worker.observer.ended.length === done);
      await bench.makeDue();
    }
    expect((await bench.answered('job-1')).status).toBe(200);
    const delays = worker.observer.ended.slice(0, 3).map(({ end }) => (end.delay ?? 0) / 1000);
    for (const [place, most] of [100, 200, 300].entries()) {
      expect(delays[place]).toBeGreaterThanOrEqual(most / 2);
      expect(delays[place]).toBeLessThanOrEqual(most);
    }
    await eventually(() => worker.observer.ended.length === 4);
    expect(worker.observer.ended.map(({ dispatch }) => dispatch.attempt)).toEqual([1, 2, 3, 4]);
    expect(worker.observer.recoveries).toEqual(Array(3).fill(`${QUEUE} retry 1`));
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });

  // field-reports 138: llm-d/llm-d-async#391
  it('tries a request that is always refused no sooner than it was asked to, while others are served', async () => {
    const fresh = Array.from({ length: 20 }, (_, number) => `fresh-${number}`);
    const bench = await start((request, response) => {
      if (idIn(request.body) !== 'refused') return json(response, '{}');
      response.writeHead(429, { 'retry-after': '10' }).end('{"wait":true}');
    });
    const worker = await bench.worker({ worker: { poll_interval: '10ms', concurrency: 2 } });
    await bench.enqueue('refused', { seconds: 120, payload: payloadOf('refused') });
    const [queued] = await bench.redis.zRangeWithScores(QUEUE, 0, 0);
    const deadline = queued?.score ?? Math.floor(Date.now() / 1000) + 120;
    const refused = (): number => bench.asked.filter((id) => id === 'refused').length;
    for (let tries = 1; tries <= 4; tries++) {
      await eventually(() => worker.observer.outcomes.filter((outcome) => outcome === 'retried').length === tries);
      const due = await bench.dueIn();
      expect(due).toBeGreaterThan(9_000);
      expect(due).toBeLessThanOrEqual(10_000);
      const [holder] = Object.values(await bench.redis.hGetAll(new WorkerKeys(QUEUE).holders));
      expect(Math.abs(Number(holder?.replace('- ', '')) - deadline)).toBeLessThanOrEqual(1);
      for (const id of fresh.splice(0, 5)) {
        await bench.enqueue(id, { seconds: 300, payload: payloadOf(id) });
        expect((await bench.answered(id)).status).toBe(200);
      }
      expect(refused()).toBe(tries);
      await bench.makeDue();
    }
    expect(await bench.answered('refused')).toEqual({ status: 429, text: '{"wait":true}' });
    expect(refused()).toBe(5);
    await eventually(() => worker.observer.ended.some(({ end }) => end.reason === 'retries_exhausted'));
  });

  it('puts a request whose wait is over back with the deadline that it had', async () => {
    const open: (() => void)[] = [];
    const bench = await start((request, response) => {
      if (idIn(request.body) === 'busy') return void open.push(() => json(response, '{}'));
      json(response, '{}', 503);
    });
    const deadline = Math.floor(Date.now() / 1000) + 500;
    await bench.enqueue('job-1', { seconds: 500, payload: payloadOf('job-1') });
    const worker = await bench.worker({ worker: { concurrency: 1, backoff: { initial: '60s' } } });
    await eventually(() => worker.observer.outcomes.includes('retried'));
    await bench.enqueue('busy', { seconds: 60, payload: payloadOf('busy') });
    await bench.upstream.received(2);
    await bench.makeDue();
    await eventually(async () => (await bench.redis.zCard(QUEUE)) === 1);
    const [waiting] = await bench.redis.zRangeWithScores(QUEUE, 0, 0);
    expect(Math.abs((waiting?.score ?? 0) - deadline)).toBeLessThanOrEqual(1);
    open[0]?.();
  });

  it.each([
    [
      'delivers the last answer',
      refusing(429, { 'retry-after': '10' }),
      { status: 429, text: '{"status":429}' },
      'delivered',
    ],
    [
      'delivers the last answer',
      refusing(503, { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' }),
      { status: 503 },
      'delivered',
    ],
    ['says that the deadline is over', breaking, { status: 504 }, 'expired'],
  ])('%s when no time is left for another try', async (_what, handler, answer, outcome) => {
    const bench = await start(handler);
    const worker = await bench.worker({ worker: { backoff: { initial: '10s' } } });
    await bench.enqueue('job-1', { seconds: 4 });
    expect(await bench.answered('job-1')).toMatchObject(answer);
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.outcomes).toEqual([outcome]);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });
});

describe('the async worker, a deadline', () => {
  it('sends nothing whose deadline is over', async () => {
    const bench = await start(refusing(200));
    const keys = bench.keys.of('team-a', 'job-1');
    await bench.enqueue('job-1', { seconds: 0, age: 10 });
    const worker = await bench.worker();
    expect((await bench.answered('job-1')).status).toBe(504);
    expect(bench.upstream.requests).toEqual([]);
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.ended[0]?.end).toEqual({ outcome: 'expired' });
    expect(JSON.parse((await bench.redis.lIndex(keys.mailbox, 0)) ?? '')).toMatchObject({
      id: 'team-a:job-1',
      error_code: 'DEADLINE_EXCEEDED',
    });
  });

  it('breaks a call off that is not done by then', async () => {
    const bench = await start(() => undefined);
    const worker = await bench.worker();
    await bench.enqueue('job-1', { seconds: 2 });
    expect((await bench.answered('job-1')).status).toBe(504);
    expect(await bench.upstream.requests[0]?.aborted).toBe(true);
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.ended[0]?.end).toEqual({ outcome: 'expired', failure: 'deadline' });
  });

  it('tells how long a request was queued', async () => {
    const bench = await start(refusing(200));
    const worker = await bench.worker();
    await bench.enqueue('job-1', { age: 100 });
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.ended[0]?.dispatch.waited).toBeGreaterThanOrEqual(99);
    expect(worker.observer.ended[0]?.dispatch.waited).toBeLessThan(130);
  });
});
