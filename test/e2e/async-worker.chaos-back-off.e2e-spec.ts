import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { json } from '#testing';
import { eventually } from './support/eventually.ts';
import { QUEUE, QueueBench, idOf } from './support/queue-bench.ts';

jest.setTimeout(120_000);

const TRIES = 5;
const RETRY_AFTER_S = 2;
/** Milliseconds by which two clocks may round. */
const ROUNDING = 20;
const LIMITED = 'limited';
const FRESH = Array.from({ length: 20 }, (_, index) => `fresh-${index + 1}`);

// field-reports.md 138: 593 tries of one message in 50 s, which overtook fresh ones
describe('a message that is answered with 429 whenever it is sent, and 20 fresh ones', () => {
  const sent: { readonly id: string; readonly at: number }[] = [];
  let bench: QueueBench;

  beforeAll(async () => {
    bench = await QueueBench.start((request, response) => {
      const id = idOf(request);
      sent.push({ id, at: performance.now() });
      if (id !== LIMITED) return json(response, { id });
      response.setHeader('retry-after', String(RETRY_AFTER_S));
      json(response, { error: { code: 'rate_limit_exceeded' } }, 429);
    });
    const backoff = { initial: '100ms', max: '1s' };
    await bench.worker({ worker: { concurrency: 1, poll_interval: '100ms', max_attempts: TRIES, backoff } });
  });
  afterAll(async () => {
    await bench.close();
  });

  it('is tried a few times, never before Retry-After, keeps its deadline, and delays none of them', async () => {
    // of all of them it has the nearest deadline
    await bench.submit({ id: LIMITED, seconds: 60 });
    await eventually(async () => (await bench.held()).retrying === 1);
    const deadline = await waitingDeadline();
    await Promise.all(FRESH.map((id) => bench.submit({ id, seconds: 300 })));
    await eventually(() => tries().length === TRIES - 1);
    await eventually(async () => (await bench.held()).retrying === 1);
    expect(await waitingDeadline()).toEqual(deadline);
    await eventually(async () => (await bench.mailbox(LIMITED)).length === 1);
    const times = tries();
    expect(times).toHaveLength(TRIES);
    for (const [index, at] of times.entries()) {
      const before = times[index - 1];
      if (before !== undefined) expect(at - before).toBeGreaterThan(RETRY_AFTER_S * 1000 - ROUNDING);
    }
    const last = sent.findLastIndex(({ id }) => id === LIMITED);
    for (const id of FRESH) {
      expect(sent.findIndex((one) => one.id === id)).toBeLessThan(last);
      expect(await bench.mailbox(id)).toMatchObject([{ status_code: 200, payload: JSON.stringify({ id }) }]);
    }
  });

  it('is a dead letter then, and its client sees the last answer', async () => {
    const [letter, ...others] = await bench.client.hVals(`async-worker:letters:${QUEUE}`);
    expect(others).toEqual([]);
    const facts = { reason: 'retries_exhausted', attempts: TRIES, tenant: 'default', id: LIMITED, status: 429 };
    expect(JSON.parse(letter ?? '')).toMatchObject(facts);
    expect(await bench.about('GET', LIMITED)).toEqual({
      status: 429,
      text: '{"error":{"code":"rate_limit_exceeded"}}',
    });
    expect(await bench.unfinished()).toEqual([]);
  });

  function tries(): number[] {
    return sent.filter(({ id }) => id === LIMITED).map(({ at }) => at);
  }

  /** Of the message that waits for a try: what it says, and where it will stand on the queue. */
  async function waitingDeadline(): Promise<unknown> {
    const [receipt = ''] = await bench.client.zRange(`async-worker:retries:${QUEUE}`, 0, -1);
    const member = await bench.client.hGet(`async-worker:taken:${QUEUE}`, receipt);
    const record = await bench.client.hGet(`async-worker:holders:${QUEUE}`, receipt);
    const said = /"deadline":(\d+)/.exec(member ?? '')?.[1];
    expect(record).toBe(`- ${said}`);
    return said;
  }
});
