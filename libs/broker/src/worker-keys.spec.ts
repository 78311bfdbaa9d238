import { describe, expect, it } from '@jest/globals';
import { BrokerKeys, hashTag, queueProblem } from './broker-keys.ts';
import { WorkerKeys } from './worker-keys.ts';

const own = (queue: string): string[] => {
  const { leases, holders, taken, retries, dead, letters, deadMembers } = new WorkerKeys(queue);
  return [leases, holders, taken, retries, dead, letters, deadMembers];
};

describe('WorkerKeys', () => {
  it('begin all alike, and end with the queue', () => {
    expect(own('q')).toEqual([
      'async-worker:leases:q',
      'async-worker:holders:q',
      'async-worker:taken:q',
      'async-worker:retries:q',
      'async-worker:dead:q',
      'async-worker:letters:q',
      'async-worker:dead-members:q',
    ]);
  });

  it.each(['{llm-d}requests', 'team-a-{llm-d}', '{llm-d}/batch'])(
    'are where the queue %s and its requests are, in a cluster',
    (queue) => {
      const { mailbox, active, cancel } = new BrokerKeys('quota:', hashTag(queue)).of('team-a', 'job-1');
      expect([...own(queue), mailbox, active, cancel].map(hashTag)).toEqual(Array(10).fill('llm-d'));
    },
  );

  it('cannot be queues themselves', () => {
    for (const key of own('q')) expect(queueProblem(key)).toMatch(/is where results and marks of requests are kept/);
  });
});
