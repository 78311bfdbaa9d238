import { describe, expect, it, jest } from '@jest/globals';
import { cleanup, json } from '#testing';
import type { Handler } from '#testing';
import { NOTHING_KEPT, QUEUE, WorkerBench, idIn, payloadOf } from './async-worker.fixture.ts';
import type { BenchWorker } from './async-worker.fixture.ts';
import { eventually } from './broker.fixture.ts';
import { RedisServer } from './redis.fixture.ts';

jest.setTimeout(120_000);

const later = cleanup();

async function start(handler: Handler = (_, response) => json(response, '{"ok":true}')): Promise<WorkerBench> {
  const server = await RedisServer.start();
  later(() => server.close());
  const bench = await WorkerBench.start(server, handler);
  later(() => bench.close());
  return bench;
}

const ready = async ({ running }: BenchWorker): Promise<number> => (await fetch(`${running.url}/readyz`)).status;

describe('the async worker, Redis away at the start', () => {
  it('does not start, and names the setting', async () => {
    const bench = await start();
    const started = bench.worker({ redis_url: 'redis://user:SECRET@127.0.0.1:1' });
    await expect(started).rejects.toThrow(/redis_url +redis cannot be used: offline \(ECONNREFUSED\)/);
    await expect(started).rejects.not.toThrow('SECRET');
  });
});

describe('the async worker, a queue whose keys are of a wrong type', () => {
  it('takes from the others, and says so of that one', async () => {
    const bench = await start();
    await bench.redis.set('async-worker:leases:broken', 'no sorted set');
    const worker = await bench.worker({ queues: ['broken', QUEUE] });
    await bench.enqueue('job-1');
    expect((await bench.answered('job-1')).status).toBe(200);
    expect(worker.lines.filter((line) => line.includes('nothing can be taken'))).toEqual([
      expect.stringMatching(/"queue":"broken".*WRONGTYPE/),
    ]);
  });
});

describe('the async worker, Redis away later', () => {
  it('goes on with what it holds, writes the results when Redis is back, and takes again', async () => {
    const open: (() => void)[] = [];
    const bench = await start((request, response) => {
      if (idIn(request.body).startsWith('held')) open.push(() => json(response, '{"held":true}'));
      else json(response, '{}');
    });
    const worker = await bench.worker({ worker: { lease: '30s' } });
    await eventually(async () => (await ready(worker)) === 200);
    for (const id of ['held-1', 'held-2']) await bench.enqueue(id, { payload: payloadOf(id) });
    await bench.upstream.received(2);
    await bench.server.stop('SIGTERM');
    for (const answer of open) answer();
    await eventually(async () => (await ready(worker)) === 503);
    expect((await fetch(`${worker.running.url}/healthz`)).status).toBe(200);
    expect(worker.observer.ended).toEqual([]);
    await bench.server.run();
    await bench.backAgain();
    for (const id of ['held-1', 'held-2']) expect((await bench.answered(id)).text).toBe('{"held":true}');
    await eventually(() => worker.observer.outcomes.length === 2);
    expect(worker.observer.outcomes).toEqual(['delivered', 'delivered']);
    await bench.enqueue('next', { payload: payloadOf('next') });
    expect((await bench.answered('next')).status).toBe(200);
    await eventually(async () => (await ready(worker)) === 200);
    expect(bench.asked.toSorted()).toEqual(['held-1', 'held-2', 'next']);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
    expect(worker.lines.join('')).toContain('redis is gone: nothing is taken');
  });

  it('drops the result of a message that another has ended meanwhile', async () => {
    const open: (() => void)[] = [];
    const bench = await start((_, response) => {
      if (bench.upstream.requests.length === 1) open.push(() => json(response, '{"by":"first"}'));
      else json(response, '{"by":"second"}');
    });
    const first = await bench.worker({ worker: { lease: '1s', concurrency: 1 } });
    await bench.enqueue('job-1');
    await bench.upstream.received(1);
    // it hears nothing of Redis for longer than its lease
    bench.server.freeze();
    await eventually(() => first.observer.failures.length > 0, 30_000);
    bench.server.thaw();
    const second = await bench.worker();
    await eventually(() => second.observer.ended.length + first.observer.ended.length > 0, 60_000);
    open[0]?.();
    const { text } = await bench.answered('job-1');
    expect(['{"by":"first"}', '{"by":"second"}']).toContain(text);
    await eventually(async () => JSON.stringify(await bench.kept()) === JSON.stringify(NOTHING_KEPT), 20_000);
    const outcomes = [...first.observer.outcomes, ...second.observer.outcomes];
    expect(outcomes.filter((outcome) => outcome === 'delivered')).toHaveLength(1);
  });

  it('knows its scripts again when Redis has forgotten them', async () => {
    const bench = await start();
    await bench.worker();
    await bench.enqueue('job-1');
    await bench.answered('job-1');
    await bench.redis.scriptFlush();
    await bench.enqueue('job-2');
    expect((await bench.answered('job-2')).status).toBe(200);
  });

  it('says once what is wrong with a queue, and takes from it when that is mended', async () => {
    const bench = await start();
    await bench.redis.set(QUEUE, 'no sorted set');
    const worker = await bench.worker();
    const told = (): number => worker.lines.filter((line) => line.includes('nothing can be taken')).length;
    const failed = (): number => worker.observer.failures.filter((failure) => failure === 'take reply').length;
    await eventually(() => failed() >= 5, 60_000);
    expect(told()).toBe(1);
    await bench.redis.del(QUEUE);
    await bench.enqueue('job-1');
    expect((await bench.answered('job-1')).status).toBe(200);
  });
});

describe('the async worker, Redis full', () => {
  it('ends what it has, retries and recoveries among it, and takes what is queued', async () => {
    const bench = await start((request, response) => {
      const { length } = bench.asked.filter((id) => id === idIn(request.body));
      json(response, '{}', idIn(request.body) === 'again' && length < 2 ? 503 : 200);
    });
    for (const id of ['again', 'job-1', 'job-2']) await bench.enqueue(id, { payload: payloadOf(id) });
    await bench.redis.configSet('maxmemory', '1');
    await expect(bench.enqueue('refused')).rejects.toThrow('OOM');
    await bench.worker({ worker: { backoff: { initial: '10ms' } } });
    for (const id of ['again', 'job-1', 'job-2']) expect((await bench.answered(id)).status).toBe(200);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });
});

describe('the async worker, its end', () => {
  it('takes nothing more, and ends what it holds', async () => {
    const open: (() => void)[] = [];
    const bench = await start((_, response) => void open.push(() => json(response, '{}')));
    const worker = await bench.worker({ server: { shutdown_timeout: '30s' } });
    await bench.enqueue('held');
    await bench.upstream.received(1);
    const stopped = worker.stop();
    await bench.enqueue('next');
    expect(worker.running.lifecycle.isReady).toBe(false);
    open[0]?.();
    await stopped;
    expect((await bench.answered('held')).status).toBe(200);
    expect(await bench.answer('next')).toBe('pending');
    expect(await bench.redis.zCard(QUEUE)).toBe(1);
    expect(bench.upstream.requests).toHaveLength(1);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });

  it('is not ready while it ends', async () => {
    const bench = await start(() => undefined);
    const worker = await bench.worker({ server: { shutdown_timeout: '1s', drain_delay: '1s' } });
    await eventually(async () => (await ready(worker)) === 200);
    const stopped = worker.stop();
    expect(await ready(worker)).toBe(503);
    await stopped;
  });

  it('breaks off what is left at the limit, and gives it back as it was', async () => {
    const bench = await start(() => undefined);
    const worker = await bench.worker({ server: { shutdown_timeout: '500ms' } });
    await bench.enqueue('job-1');
    const [before] = await bench.redis.zRangeWithScores(QUEUE, 0, 0);
    await bench.upstream.received(1);
    await worker.stop();
    expect(await bench.upstream.requests[0]?.aborted).toBe(true);
    const [after] = await bench.redis.zRangeWithScores(QUEUE, 0, 0);
    expect(after?.value).toContain('"id":"team-a:job-1"');
    expect(after?.value).not.toContain('retry_count');
    if (before !== undefined) expect(after).toEqual(before);
    expect(worker.observer.outcomes).toEqual(['returned']);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });

  it('ends in time while Redis is away', async () => {
    const bench = await start((_, response) => json(response, '{}'));
    const worker = await bench.worker({ server: { shutdown_timeout: '500ms' } });
    await bench.enqueue('job-1');
    await bench.answered('job-1');
    await bench.server.stop();
    await worker.stop();
    expect(worker.running.lifecycle.phase).toBe('closing');
  });
});
