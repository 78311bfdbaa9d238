import { describe, expect, it, jest } from '@jest/globals';
import { WorkerKeys } from '#broker';
import { QUEUE } from './async-worker.fixture.ts';
import { eventually } from './broker.fixture.ts';
import { workerBenches } from './worker-benches.fixture.ts';

jest.setTimeout(90_000);

const start = workerBenches();

/** An envelope as the step writes it, with parts that are another's. */
function forged(data: object = {}, internal: object = {}): string {
  const times = { created: 1, deadline: Math.floor(Date.now() / 1000) + 600 };
  return JSON.stringify({
    internal: { request_token: 'ab'.repeat(16), request_queue_name: QUEUE, ...internal },
    request_kind: 'redis',
    data: { id: 'team-a:job-1', ...times, payload: {}, metadata: {}, endpoint: '/v1/chat/completions', ...data },
  });
}

const OTHERS = { 'results:req:team-b:job-9': 'list', 'request-active:team-b:job-9': 'text', victim: 'text' };

describe('the async worker, envelopes that it does not take', () => {
  it.each([
    ['bytes', Buffer.from([0xff, 0x00, 0x7b]), 'not_an_envelope'],
    ['nothing', '', 'not_an_envelope'],
    ['another JSON', '[1,2,3]', 'not_an_envelope'],
    ['an envelope that breaks off', forged().slice(0, -5), 'not_json'],
    ['no id', forged({ id: undefined }), 'id'],
    ['an id without a tenant', forged({ id: 'job-1' }), 'id'],
    ['a tenant that ends early', forged({ id: 'team-a:b:job-9' }), 'id'],
    ['a tenant that leaves its node', forged({ id: '{x}:job-9' }), 'id'],
    ['a tenant of control characters', forged({ id: 'team\r\nDEL victim:job-9' }), 'id'],
    ['an id that is a pattern', forged({ id: 'team-a:*' }), 'id'],
    ['an id that goes up', forged({ id: 'team-a:../../victim' }), 'id'],
    ['an id that is no text', forged({ id: ['team-a:job-1'] }), 'id'],
    ['a token with spaces', forged({}, { request_token: 'a b' }), 'request_token'],
    ['another’s mailbox', forged({ result_queue_name: 'results:req:team-b:job-9' }), 'result_queue_name'],
    ['another’s mailbox inside', forged({}, { result_queue_name: 'results:req:team-b:job-9' }), 'result_queue_name'],
    ['a key that is no mailbox', forged({ result_queue_name: 'victim' }), 'result_queue_name'],
    ['a mailbox that is no text', forged({ result_queue_name: 7 }), 'result_queue_name'],
    ['a path that is not served', forged({ endpoint: '/v1/models' }), 'endpoint'],
    ['another server', forged({ endpoint: 'http://elsewhere/v1/chat/completions' }), 'endpoint'],
    ['a path that goes up', forged({ endpoint: '/v1/chat/completions/../../admin' }), 'endpoint'],
    ['a path with a query', forged({ endpoint: '/v1/chat/completions?x=1' }), 'endpoint'],
    ['no deadline', forged({ deadline: undefined }), 'times'],
    ['a deadline that is a text', forged({ deadline: '600' }), 'times'],
    ['a deadline beyond numbers', forged({ deadline: 1e300 }), 'times'],
    ['a payload that is no object', forged({ payload: 'text' }), 'payload'],
    ['no payload', forged({ payload: undefined }), 'payload'],
    ['headers that are a list', forged({ headers: ['a'] }), 'headers'],
    ['a header with a line break', forged({ headers: { a: 'b\r\nx-evil: 1' } }), 'headers'],
    ['a header’s name with a line break', forged({ headers: { 'a\r\nx-evil': '1' } }), 'headers'],
    ['metadata that is a number', forged({ metadata: 7 }), 'metadata'],
  ])('makes %s a dead letter, and writes to nobody', async (_what, member, failure) => {
    const bench = await start();
    await bench.redis.rPush('results:req:team-b:job-9', 'theirs');
    await bench.redis.set('request-active:team-b:job-9', 'theirs');
    await bench.redis.set('victim', 'theirs');
    await bench.put(member);
    const worker = await bench.worker();
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.ended[0]?.end).toMatchObject({ outcome: 'dead', reason: 'invalid_envelope', failure });
    expect(bench.upstream.requests).toEqual([]);
    const { dead, letters, deadMembers } = new WorkerKeys(QUEUE);
    expect((await bench.redis.keys('*')).toSorted()).toEqual(
      [...Object.keys(OTHERS), dead, letters, deadMembers].toSorted(),
    );
    expect(await bench.redis.lRange('results:req:team-b:job-9', 0, -1)).toEqual(['theirs']);
    expect(await bench.redis.get('victim')).toBe('theirs');
    expect(await bench.figures.deadLetters(QUEUE, 5)).toMatchObject([{ reason: 'invalid_envelope', failure }]);
  });

  it('tells the client of a submission that is pending', async () => {
    const bench = await start();
    const keys = bench.keys.of('team-a', 'job-1');
    await bench.redis.set(keys.active, 'ab'.repeat(16));
    await bench.put(forged({ payload: 'text' }));
    await bench.worker();
    expect((await bench.answered('job-1')).status).toBe(400);
    expect(await bench.redis.exists(keys.active)).toBe(0);
  });

  it('goes on with what comes behind it', async () => {
    const bench = await start();
    for (let number = 0; number < 50; number++) await bench.put(`junk ${number}`, number);
    await bench.enqueue('job-1');
    await bench.worker();
    expect((await bench.answered('job-1')).status).toBe(200);
    expect((await bench.figures.figures(QUEUE)).deadLetters).toBe(50);
  });

  it('counts tries where a member has its own count, and where it has none', async () => {
    const bench = await start();
    const members = [
      forged(),
      forged({}, { retry_count: 7 }),
      forged({}, { request_token: undefined }),
      forged({}, { labels: { a: '}' } }),
    ];
    for (const [place, member] of members.entries()) {
      const internals: unknown[] = [];
      await bench.redis.flushAll();
      await bench.put(member);
      for (let tries = 0; tries < 3; tries++) {
        const limits = { holder: 'h', lease: 60_000, count: 1, bytes: 1e9, firstBytes: 1e9 };
        const [message] = (await bench.queue().take(limits)).messages;
        if (message === undefined) throw new Error('nothing was taken');
        expect(message.tries).toBe((place === 1 ? 7 : 0) + tries);
        internals.push(JSON.parse(message.member.toString()));
        await bench.queue().retry(message, 0, true);
        await eventually(async () => (await bench.queue().recover()).retry === 1);
      }
      const own: unknown = JSON.parse(member);
      expect(internals.slice(1)).toMatchObject([own, own].map((envelope) => (place === 1 ? {} : envelope)));
    }
  });
});
