import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinRope } from '#json';
import { BrokerKeys } from './broker-keys.ts';
import { envelope, joinedByTurns } from './envelope.ts';

const REQUEST = {
  keys: new BrokerKeys('quota:userid:').of('team-a', 'job-1'),
  token: '0123456789abcdef0123456789abcdef',
  queue: 'request-sortedset',
  created: 1000,
  deadline: 1060,
  metadata: { userid: 'team-a' },
  headers: {},
  endpoint: '/v1/chat/completions',
};

describe('envelope', () => {
  it('is written as the async processor reads it', () => {
    const payload = [Buffer.from('{"seed": 9007199254740993'), Buffer.from(', "x":1.0}')];
    expect(joinRope(envelope({ ...REQUEST, payload, headers: { 'x-a': '"1"' } })).toString()).toBe(
      '{"internal":{"request_token":"0123456789abcdef0123456789abcdef","request_queue_name":"request-sortedset",' +
        '"result_queue_name":"results:req:team-a:job-1"},"request_kind":"redis","data":{"id":"team-a:job-1",' +
        '"created":1000,"deadline":1060,"payload":{"seed": 9007199254740993, "x":1.0},"metadata":{"userid":"team-a"},' +
        '"headers":{"x-a":"\\"1\\""},"endpoint":"/v1/chat/completions","request_queue_name":"request-sortedset",' +
        '"result_queue_name":"results:req:team-a:job-1"}}',
    );
  });

  it('leaves headers out where there are none', () => {
    expect(joinRope(envelope({ ...REQUEST, payload: [Buffer.from('{}')] })).toString()).not.toContain('headers');
  });

  it('shares the bytes of the payload', () => {
    const body = Buffer.from('{"a":1}');
    expect(envelope({ ...REQUEST, payload: [body] })).toContain(body);
  });
});

describe('joinedByTurns', () => {
  it('joins what it is given', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array()), async (parts) => {
        const rope = parts.map((part) => Buffer.from(part));
        expect((await joinedByTurns(rope)).equals(Buffer.concat(rope))).toBe(true);
      }),
    );
  });

  it('lets others run while it copies much', async () => {
    const large = Buffer.alloc(20 * 1024 * 1024, 'x');
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    count();
    const joined = await joinedByTurns([large, Buffer.from('y')]);
    isDone = true;
    expect(joined.length).toBe(large.length + 1);
    expect(turns).toBeGreaterThan(3);
  });
});
