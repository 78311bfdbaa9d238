import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { json } from '#testing';
import type { Handler } from '#testing';
import { eventually } from './support/eventually.ts';
import { QUEUE, QueueBench, idOf } from './support/queue-bench.ts';
import type { Answered } from './support/queue-bench.ts';

jest.setTimeout(120_000);

const WORKER = { concurrency: 8, lease: '1500ms' };

describe('a request that a worker holds', () => {
  let bench: QueueBench;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    bench = await QueueBench.start(() => undefined);
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    bench.served.requests.length = 0;
    await bench.client.flushAll();
  });
  afterAll(async () => {
    await bench.close();
  });

  it('is one request, however many clients of one id there are at a time', async () => {
    bench.served.handler = answer;
    const clients = Array.from({ length: 10 }, (_, client) => bench.submit({ id: 'shared', body: { client } }));
    await worker();
    for (const { status } of await Promise.all(clients)) expect(status).toBe(202);
    const results = await Promise.all(Array.from({ length: 10 }, () => result('shared')));
    expect(new Set(results.map(({ text }) => text)).size).toBe(1);
    await eventually(async () => (await bench.unfinished()).length === 0);
    expect(bench.served.requests).toHaveLength(1);
  });

  it('is found again by a client that sends it again, and by one that waits for it', async () => {
    let release = (): void => undefined;
    bench.served.handler = (request, response) => {
      release = () => void answer(request, response);
    };
    await worker();
    await bench.submit({ id: 'held' });
    await bench.served.received(1);
    expect(await bench.submit({ id: 'held' })).toEqual({ status: 202, text: '{"id":"held","status":"pending"}' });
    expect(await bench.client.zCard(QUEUE)).toBe(0);
    const waiting = bench.submit({ id: 'held', mode: 'wait' });
    release();
    expect(await waiting).toMatchObject({ status: 200 });
    expect(bench.served.requests).toHaveLength(1);
  });

  it('is broken off when its client cancels it, and its id is free again', async () => {
    bench.served.handler = () => undefined;
    await worker();
    await bench.submit({ id: 'cancelled' });
    await bench.served.received(1);
    expect((await bench.about('DELETE', 'cancelled')).status).toBe(204);
    expect(await result('cancelled')).toMatchObject({ status: 499 });
    expect(await bench.served.requests[0]?.aborted).toBe(true);
    await eventually(async () => (await bench.unfinished()).length === 0);
    bench.served.handler = answer;
    expect(await bench.submit({ id: 'cancelled' })).toMatchObject({ status: 202 });
    expect(await result('cancelled')).toMatchObject({ status: 200 });
  });

  it('goes on when its client wants it after all, before the worker has noticed', async () => {
    let release = (): void => undefined;
    bench.served.handler = (request, response) => {
      release = () => void answer(request, response);
    };
    // nothing is renewed as long as the test takes
    await worker({ lease: '10m' });
    await bench.submit({ id: 'wanted' });
    await bench.served.received(1);
    await bench.about('DELETE', 'wanted');
    expect(await bench.submit({ id: 'wanted' })).toMatchObject({ status: 202 });
    release();
    expect(await result('wanted')).toMatchObject({ status: 200 });
    expect(bench.served.requests).toHaveLength(1);
  });

  it('writes nothing for its id when that is another request meanwhile', async () => {
    let releaseStale = (): void => undefined;
    bench.served.handler = (_request, response) => {
      releaseStale = () => {
        json(response, { by: 'the stale one' });
      };
    };
    const stale = await worker();
    await bench.submit({ id: 'again' });
    await bench.served.received(1);
    stale.signal('SIGSTOP');
    closing.push(async () => {
      stale.signal('SIGCONT');
      await stale.crash();
    });
    bench.served.handler = answer;
    await bench.about('DELETE', 'again');
    await worker();
    expect(await result('again')).toMatchObject({ status: 499 });
    await bench.submit({ id: 'again' });
    const fresh = await result('again');
    expect(fresh.status).toBe(200);
    releaseStale();
    stale.signal('SIGCONT');
    await stale.stop();
    expect(await bench.about('GET', 'again')).toEqual(fresh);
    expect(fresh.text).not.toContain('stale');
  });

  it('has one end, when many are cancelled as they are taken', async () => {
    bench.served.handler = answer;
    await Promise.all([worker(), worker()]);
    const ids = Array.from({ length: 200 }, (_, index) => `race-${index + 1}`);
    await Promise.all(
      ids.map(async (id) => {
        expect(await bench.submit({ id })).toMatchObject({ status: 202 });
        expect((await bench.about('DELETE', id)).status).toBe(204);
      }),
    );
    await eventually(async () => (await bench.unfinished()).length === 0);
    const ends = await Promise.all(ids.map(async (id) => (await bench.about('GET', id)).status));
    // the result of one that was faster is removed, or its client was faster, or neither knew of the other in time
    for (const status of ends) expect([410, 499, 200]).toContain(status);
    for (const id of ids) {
      expect((await bench.mailbox(id)).length).toBeLessThan(2);
      expect(bench.served.requests.filter((request) => idOf(request) === id).length).toBeLessThan(2);
    }
  });

  /** Goes with the test. */
  async function worker(changes: object = {}) {
    const started = await bench.worker({ worker: { ...WORKER, ...changes } });
    closing.push(() => started.crash());
    return started;
  }

  const answer: Handler = (request, response) => {
    json(response, { id: idOf(request), call: bench.served.requests.length });
  };

  /** What the client of the request is told when it is over. */
  async function result(id: string): Promise<Answered> {
    let answered = await bench.about('GET', id);
    await eventually(async () => {
      answered = await bench.about('GET', id);
      return answered.status !== 202;
    });
    return answered;
  }
});
