import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { cleanup, json } from '#testing';
import type { Handler } from '#testing';
import { WorkerBench } from './async-worker.fixture.ts';
import { RedisServer, redisClient } from './redis.fixture.ts';

const OK: Handler = (_, response) => json(response, '{"ok":true}');

/** @returns a bench for the test that asks for it, at the one Redis of the file; closed behind it */
export function workerBenches(): (handler?: Handler) => Promise<WorkerBench> {
  const later = cleanup();
  const redis = workerRedis();
  return async (handler = OK) => {
    const bench = await WorkerBench.start(redis(), handler);
    later(() => bench.close());
    return bench;
  };
}

/** A Redis for all tests of a file, empty before each. */
export function workerRedis(): () => RedisServer {
  const parts: { redis?: RedisServer } = {};
  beforeAll(async () => {
    parts.redis = await RedisServer.start();
  });
  beforeEach(async () => {
    const client = await redisClient(parts.redis?.url ?? '');
    await client.flushAll();
    client.destroy();
  });
  afterAll(async () => {
    await parts.redis?.close();
  });
  return () => {
    if (parts.redis === undefined) throw new Error('not started yet');
    return parts.redis;
  };
}
