import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { z } from 'zod';
import { ObservedCluster } from './telemetry-cluster.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';
import type { ObservedOptions } from './telemetry.fixture.ts';
import { RedisServer, redisClient } from './redis.fixture.ts';
import type { TestRedis } from './redis.fixture.ts';

export const CHAT = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';
export const QUEUE = 'request-sortedset';

/** What an answer was. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const memberSchema = z.object({
  internal: z.record(z.string(), z.string()),
  request_kind: z.string(),
  data: z.looseObject({ id: z.string() }),
});

/** The member of a queue's sorted set. */
export interface QueuedMember {
  readonly score: number;
  readonly text: string;
  readonly json: z.output<typeof memberSchema>;
}

/** A coordinator whose first step is the broker, before one decode. */
export class BrokerBench {
  private constructor(
    readonly coordinator: ObservedCoordinator,
    readonly redis: TestRedis,
  ) {}

  static async start(
    server: Pick<RedisServer, 'url'>,
    cluster: ObservedCluster,
    params: object = {},
    options: Omit<ObservedOptions, 'steps'> = {},
  ): Promise<BrokerBench> {
    const steps = [{ type: 'async-broker', params: { redis_url: server.url, ...params } }, 'decode'];
    const coordinator = await ObservedCoordinator.start(cluster, { ...options, steps });
    return new BrokerBench(coordinator, await redisClient(server.url));
  }

  async ask(headers: Record<string, string>, body = CHAT, init: RequestInit = {}): Promise<Answered> {
    return whole(
      await fetch(`${this.coordinator.url}/v1/chat/completions`, { method: 'POST', headers, body, ...init }),
    );
  }

  async request(method: string, id: string, tenant?: string): Promise<Answered> {
    const headers = tenant === undefined ? {} : { 'x-llm-d-tenant': tenant };
    return whole(await fetch(`${this.coordinator.url}/v1/requests/${id}`, { method, headers }));
  }

  /** Members of a queue, the nearest deadline first. */
  async queued(queue = QUEUE): Promise<QueuedMember[]> {
    const members = await this.redis.zRangeWithScores(queue, 0, -1);
    return members.map(({ score, value }) => ({ score, text: value, json: memberSchema.parse(JSON.parse(value)) }));
  }

  /** Puts a result where the async processor does. */
  async deliver(wireId: string, result: object, ttl = 600): Promise<void> {
    await this.redis
      .multi()
      .lPush(`results:req:${wireId}`, JSON.stringify({ id: wireId, ...result }))
      .expire(`results:req:${wireId}`, ttl)
      .exec();
  }

  /** Done when the test's own client is connected again. */
  async backAgain(): Promise<void> {
    await eventually(() => this.redis.isReady);
  }

  async deliverWhenBack(wireId: string, result: object): Promise<void> {
    await this.backAgain();
    await this.deliver(wireId, result);
  }

  async keys(): Promise<string[]> {
    return (await this.redis.keys('*')).sort();
  }

  async close(): Promise<void> {
    await this.coordinator.close();
    this.redis.destroy();
  }
}

/** A Redis and a cluster for all tests of a file, empty before each. */
export function brokerParts(): { readonly redis: RedisServer; readonly cluster: ObservedCluster } {
  const parts: { redis?: RedisServer; cluster?: ObservedCluster } = {};
  beforeAll(async () => {
    parts.redis = await RedisServer.start();
    parts.cluster = await ObservedCluster.start();
  });
  beforeEach(async () => {
    parts.cluster?.reset();
    const client = await redisClient(parts.redis?.url ?? '');
    await client.flushAll();
    client.destroy();
  });
  afterAll(async () => {
    await parts.cluster?.close();
    await parts.redis?.close();
  });
  return {
    get redis() {
      return started(parts.redis);
    },
    get cluster() {
      return started(parts.cluster);
    },
  };
}

/** Waits for what is about to be so. @throws Error when it does not come to be */
export async function eventually(isTrue: () => Promise<boolean> | boolean, patience = 10_000): Promise<void> {
  const deadline = performance.now() + patience;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`did not happen: ${isTrue.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const errorSchema = z.object({
  error: z.object({ message: z.string(), type: z.string(), param: z.null(), code: z.string() }),
});

/** `error` of an answer. */
export function errorOf({ text }: Answered): z.output<typeof errorSchema>['error'] {
  return errorSchema.parse(JSON.parse(text)).error;
}

/** `id` of an answer that says that the request is pending. */
export function idOf({ text }: Answered): string {
  return z.object({ id: z.string(), status: z.literal('pending') }).parse(JSON.parse(text)).id;
}

function started<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('not started yet');
  return part;
}

async function whole(response: Response): Promise<Answered> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}
