import { hashTag } from './broker-keys.ts';
import type { RedisServers } from './redis-servers.config.ts';

/** One thing that is wrong, at a path of the section. */
export interface RuleProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A queue, and where it is named; undefined where it is the one that the others are measured by. */
export interface NamedQueue {
  readonly path: readonly (string | number)[];
  readonly queue: string;
}

/**
 * What the topology asks of the servers' settings and of the names of queues.
 * @param first the queue that the others go by
 */
export function topologyProblems(
  {
    redis_url: url,
    redis,
  }: Pick<RedisServers, 'redis_url'> & {
    readonly redis: Pick<RedisServers['redis'], 'topology' | 'master_name'>;
  },
  first: NamedQueue,
  others: readonly NamedQueue[],
): RuleProblem[] {
  switch (redis.topology) {
    case 'standalone':
      return [];
    case 'sentinel':
      return redis.master_name === ''
        ? [{ path: ['redis', 'master_name'], message: 'is needed to ask sentinels for the master' }]
        : [];
    case 'cluster':
      return [...databaseProblems(url), ...tagProblems(first, others)];
  }
}

function databaseProblems(url: string): RuleProblem[] {
  if (!/^\/0*[1-9]/.test(new URL(url).pathname)) return [];
  return [{ path: ['redis_url'], message: 'a cluster has database 0 only' }];
}

/** All keys of one request have to be on one node, and which queue a request was put on is not known when it is asked for. */
function tagProblems(first: NamedQueue, others: readonly NamedQueue[]): RuleProblem[] {
  const tag = hashTag(first.queue);
  if (tag === undefined) {
    return [{ path: first.path, message: 'needs a hash tag in a cluster, such as "{llm-d}request-sortedset"' }];
  }
  return others
    .filter(({ queue }) => hashTag(queue) !== tag)
    .map(({ path }) => ({ path, message: `needs the hash tag {${tag}} of ${first.path.join('.')}` }));
}
