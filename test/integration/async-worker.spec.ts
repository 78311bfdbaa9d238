import { describe, expect, it, jest } from '@jest/globals';
import { json } from '#testing';
import { NOTHING_KEPT, PAYLOAD, QUEUE, SECRET, idIn, payloadOf } from './async-worker.fixture.ts';
import { eventually } from './broker.fixture.ts';
import { workerBenches } from './worker-benches.fixture.ts';

jest.setTimeout(90_000);

const start = workerBenches();

describe('the async worker', () => {
  it('has a queued request served by the coordinator, and puts the answer where its client looks', async () => {
    const bench = await start((_, response) => json(response, '{"choices":[1]}'));
    const worker = await bench.worker();
    const keys = await bench.enqueue('job-1');
    expect(await bench.answered('job-1')).toEqual({ status: 200, text: '{"choices":[1]}' });
    const [request] = bench.upstream.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(request?.body.toString()).toBe(PAYLOAD);
    expect(request?.headers['content-type']).toBe('application/json');
    expect(await bench.redis.exists([keys.active, keys.cancel, QUEUE])).toBe(0);
    expect(await bench.redis.ttl(keys.mailbox)).toBeGreaterThan(3590);
    await eventually(() => worker.observer.ended.length === 1);
    expect(worker.observer.ended[0]).toMatchObject({
      dispatch: { queue: QUEUE, attempt: 1 },
      end: { outcome: 'delivered', status: 200 },
    });
    expect(worker.observer.queues).toEqual([QUEUE]);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
    expect(worker.lines.join('')).not.toContain(SECRET);
  });

  it('takes the nearest deadline first', async () => {
    const bench = await start();
    for (const [id, seconds] of [
      ['late', 900],
      ['soon', 60],
      ['between', 300],
    ] as const) {
      await bench.enqueue(id, { seconds, payload: payloadOf(id) });
    }
    await bench.worker({ worker: { concurrency: 1 } });
    await bench.upstream.received(3);
    expect(bench.asked).toEqual(['soon', 'between', 'late']);
  });

  it('takes each message once, however many workers there are', async () => {
    const bench = await start();
    const ids = Array.from({ length: 300 }, (_, number) => `job-${number}`);
    for (let count = 0; count < 4; count++) await bench.worker();
    await Promise.all(ids.map((id) => bench.enqueue(id, { payload: payloadOf(id) })));
    for (const id of ids) expect((await bench.answered(id)).status).toBe(200);
    expect(bench.asked.toSorted()).toEqual(ids.toSorted());
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });

  it('holds no more than its concurrency at a time', async () => {
    const open: (() => void)[] = [];
    const bench = await start((_, response) => void open.push(() => json(response, '{}')));
    for (let number = 0; number < 6; number++) await bench.enqueue(`job-${number}`);
    await bench.worker({ worker: { concurrency: 2 } });
    await bench.upstream.received(2);
    expect(await bench.redis.zCard(QUEUE)).toBe(4);
    for (let done = 0; done < 6; done++) {
      await eventually(() => open.length > 0);
      expect(open.length).toBeLessThanOrEqual(2);
      open.shift()?.();
    }
    for (let number = 0; number < 6; number++) expect((await bench.answered(`job-${number}`)).status).toBe(200);
  });

  it.each([2, 3])('takes from each of %i queues in its turn, however long the answers take', async (count) => {
    const open: (() => void)[] = [];
    const bench = await start((_, response) => void open.push(() => json(response, '{}')));
    const queues = ['first', 'second', 'third'].slice(0, count);
    for (const queue of queues) {
      for (const id of [`${queue}-1`, `${queue}-2`]) await bench.enqueue(id, { queue, payload: payloadOf(id) });
    }
    await bench.worker({ queues, worker: { concurrency: 1 } });
    for (let done = 0; done < 2 * count; done++) {
      await eventually(() => open.length > 0);
      open.shift()?.();
    }
    expect(bench.asked.map((id) => id.split('-')[0])).toEqual([...queues, ...queues]);
  });
});

describe('the async worker, what it holds', () => {
  const large = (id: string, bytes: number): string => payloadOf(id, `,"x":"${'x'.repeat(bytes)}"`);
  const MEGABYTE = 1024 * 1024;

  it('holds no more bytes than its budget, and one message that is larger alone', async () => {
    const open: (() => void)[] = [];
    const bench = await start((_, response) => void open.push(() => json(response, '{}')));
    await bench.enqueue('a', { seconds: 100, payload: large('a', 0.7 * MEGABYTE) });
    await bench.enqueue('b', { seconds: 200, payload: large('b', 0.7 * MEGABYTE) });
    await bench.enqueue('c', { seconds: 300, payload: large('c', 3 * MEGABYTE) });
    await bench.enqueue('d', { seconds: 400, payload: payloadOf('d') });
    await bench.worker({ worker: { max_bytes_in_flight: 1 } });
    for (const id of ['a', 'b', 'c', 'd']) {
      await eventually(() => open.length === 1);
      expect(bench.asked.at(-1)).toBe(id);
      open.pop()?.();
    }
    expect((await bench.answered('d')).status).toBe(200);
  });

  it('lets no tenant have more than its share, and others pass it', async () => {
    const open = new Map<string, () => unknown>();
    const bench = await start(
      (request, response) => void open.set(idIn(request.body), () => response.writableEnded || json(response, '{}')),
    );
    for (const [id, seconds] of [
      ['a-1', 60],
      ['a-2', 70],
      ['a-3', 80],
    ] as const) {
      await bench.enqueue(id, { seconds, payload: payloadOf(id) });
    }
    await bench.enqueue('b-1', { tenant: 'team-b', seconds: 900, payload: payloadOf('b-1') });
    const worker = await bench.worker({ worker: { tenant_concurrency: 1 } });
    await bench.upstream.received(2);
    expect(bench.asked.toSorted()).toEqual(['a-1', 'b-1']);
    await eventually(() => worker.observer.outcomes.filter((outcome) => outcome === 'delayed').length >= 2);
    for (const count of [2, 3, 4]) {
      await bench.upstream.received(count);
      await eventually(() => bench.asked.every((id) => open.has(id)));
      for (const id of bench.asked.filter((asked) => asked.startsWith('a-'))) open.get(id)?.();
    }
    for (const id of ['a-1', 'a-2', 'a-3']) expect((await bench.answered(id)).status).toBe(200);
    // to be made to wait is no try
    expect(worker.observer.ended.map(({ dispatch }) => dispatch.attempt)).toEqual(expect.not.arrayContaining([2]));
    open.get('b-1')?.();
  });
});
