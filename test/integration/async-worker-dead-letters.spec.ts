import { describe, expect, it, jest } from '@jest/globals';
import { QueueFigures, WorkerKeys } from '#broker';
import { json } from '#testing';
import { NOTHING_KEPT, PAYLOAD, QUEUE, SECRET, idIn, payloadOf } from './async-worker.fixture.ts';
import type { WorkerBench } from './async-worker.fixture.ts';
import type { BenchWorker } from './async-worker.fixture.ts';
import { eventually } from './broker.fixture.ts';
import { workerBenches } from './worker-benches.fixture.ts';

jest.setTimeout(90_000);

const start = workerBenches();

const IMPATIENT = { worker: { max_attempts: 2, backoff: { initial: '1ms', max: '1ms' } } };

/** `admin` of a worker. */
async function asked(worker: BenchWorker, path: string, method = 'GET', token?: string) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${worker.running.url}/admin/${path}`, { method, headers });
  const text = await response.text();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, body };
}

describe('the async worker, tries that are used up', () => {
  it('delivers the last answer, and keeps a dead letter', async () => {
    const bench = await start((_, response) => json(response, '{"error":{}}', 503));
    const worker = await bench.worker(IMPATIENT);
    await bench.enqueue('job-1', { age: 5 });
    expect(await bench.answered('job-1')).toEqual({ status: 503, text: '{"error":{}}' });
    expect(bench.upstream.requests).toHaveLength(2);
    const letters = await bench.figures.deadLetters(QUEUE, 10);
    expect(letters).toEqual([
      expect.objectContaining({
        reason: 'retries_exhausted',
        attempts: 2,
        tenant: 'team-a',
        id: 'job-1',
        endpoint: '/v1/chat/completions',
        status: 503,
      }),
    ]);
    expect(JSON.stringify(letters) + worker.lines.join('')).not.toContain(SECRET);
    const [member] = Object.values(await bench.redis.hGetAll(new WorkerKeys(QUEUE).deadMembers));
    expect(member).toContain(PAYLOAD);
    expect(await bench.kept()).toEqual({ ...NOTHING_KEPT, dead: 1 });
    expect(worker.observer.ended.at(-1)?.end).toMatchObject({
      outcome: 'dead',
      reason: 'retries_exhausted',
      status: 503,
    });
  });

  it('says so where there was no answer', async () => {
    const bench = await start((_, response) => void response.destroy());
    await bench.worker(IMPATIENT);
    await bench.enqueue('job-1');
    const { status, text } = await bench.answered('job-1');
    expect([status, text]).toEqual([502, expect.stringContaining('RETRIES_EXHAUSTED')]);
  });

  it('keeps as many dead letters as is configured, the last ones', async () => {
    const bench = await start((_, response) => json(response, '{}', 500));
    await bench.worker({ worker: { max_attempts: 1, dead_letters: 3 } });
    for (let number = 0; number < 6; number++) {
      await bench.enqueue(`job-${number}`);
      await bench.answered(`job-${number}`);
    }
    expect((await bench.figures.deadLetters(QUEUE, 10)).map(({ id }) => id)).toEqual(['job-5', 'job-4', 'job-3']);
    expect(await bench.redis.hLen(new WorkerKeys(QUEUE).deadMembers)).toBe(3);
    expect(await bench.redis.hLen(new WorkerKeys(QUEUE).letters)).toBe(3);
  });
});

describe('the async worker, its admin', () => {
  const TOKEN = 'secret-token';

  async function withADeadLetter(): Promise<{ bench: WorkerBench; worker: BenchWorker; heal: () => void }> {
    let isWell = false;
    const bench = await start((_, response) => json(response, '{"is":"well"}', isWell ? 200 : 500));
    const worker = await bench.worker({ ...IMPATIENT, admin: { token: TOKEN } });
    await bench.enqueue('job-1', { payload: payloadOf('job-1') });
    expect((await bench.answered('job-1')).status).toBe(500);
    return { bench, worker, heal: () => (isWell = true) };
  }

  it('shows the queues and the dead letters', async () => {
    const { worker } = await withADeadLetter();
    expect((await asked(worker, 'queues')).body).toMatchObject({
      queues: [{ queue: QUEUE, depth: 0, leased: 0, retrying: 0, dead_letters: 1 }],
    });
    const { body } = await asked(worker, `dead-letters?queue=${QUEUE}&count=5`);
    expect(body).toMatchObject({
      dead_letters: [{ queue: QUEUE, reason: 'retries_exhausted', id: 'job-1', tenant: 'team-a', attempts: 2 }],
    });
  });

  it.each([
    ['dead-letters?queue=nonsense', 404],
    ['dead-letters?count=0', 400],
    ['dead-letters?count=1e3', 400],
    ['dead-letters?count=1001', 400],
  ])('answers %s with %i', async (path, status) => {
    const { worker } = await withADeadLetter();
    expect((await asked(worker, path)).status).toBe(status);
  });

  it('sends a dead letter again, in place of what its client was told', async () => {
    const { bench, worker, heal } = await withADeadLetter();
    const [letter] = await bench.figures.deadLetters(QUEUE, 1);
    const receipt = letter?.receipt ?? '';
    heal();
    const path = `dead-letters/${receipt}/requeue`;
    expect((await asked(worker, path, 'POST')).status).toBe(401);
    expect((await asked(worker, path, 'POST', TOKEN)).status).toBe(200);
    expect(await bench.answered('job-1')).toEqual({ status: 200, text: '{"is":"well"}' });
    expect(bench.upstream.requests.map(({ body }) => idIn(body))).toEqual(['job-1', 'job-1', 'job-1']);
    expect((await asked(worker, path, 'POST', TOKEN)).status).toBe(404);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });

  it('does not send one again whose id is that of a later request, nor one that cannot be read', async () => {
    const { bench, worker } = await withADeadLetter();
    await bench.redis.set(bench.keys.of('team-a', 'job-1').active, 'later');
    await bench.put('junk');
    await eventually(async () => (await bench.kept()).dead === 2);
    for (const { receipt } of await bench.figures.deadLetters(QUEUE, 2)) {
      expect((await asked(worker, `dead-letters/${receipt}/requeue`, 'POST', TOKEN)).status).toBe(409);
    }
    expect((await bench.kept()).dead).toBe(2);
  });

  it('forgets a dead letter', async () => {
    const { bench, worker } = await withADeadLetter();
    const [letter] = await bench.figures.deadLetters(QUEUE, 1);
    const path = `dead-letters/${letter?.receipt ?? ''}`;
    expect((await asked(worker, path, 'DELETE')).status).toBe(401);
    expect((await asked(worker, path, 'DELETE', TOKEN)).status).toBe(204);
    expect((await asked(worker, path, 'DELETE', TOKEN)).status).toBe(404);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
    expect((await bench.answered('job-1')).status).toBe(500);
  });
});

describe('QueueFigures', () => {
  it('tells how a queue stands, without reading what is in it', async () => {
    const bench = await start();
    expect(await bench.figures.figures(QUEUE)).toEqual({
      queue: QUEUE,
      depth: 0,
      oldestDeadline: undefined,
      oldestCreated: undefined,
      leased: 0,
      retrying: 0,
      deadLetters: 0,
    });
    await bench.enqueue('late', { seconds: 900, age: 500 });
    await bench.enqueue('soon', { seconds: 60, age: 100, payload: '{"created":5}' });
    const now = Date.now() / 1000;
    const { depth, oldestDeadline = 0, oldestCreated = 0 } = await bench.figures.figures(QUEUE);
    expect(depth).toBe(2);
    expect(Math.abs(oldestDeadline - now - 60)).toBeLessThan(3);
    expect(Math.abs(now - oldestCreated - 100)).toBeLessThan(3);
    expect(bench.figures).toBeInstanceOf(QueueFigures);
  });
});
