import { RedisServer, redisClient } from '../../integration/redis.fixture.ts';

/** The queue that Redis refuses to write to. */
const BROKEN = 'not-a-queue';

/** A real Redis, and requests that are queued in it: each of them ends before a result is there. */
export class QueuedTraffic {
  private constructor(private readonly redis: RedisServer) {}

  static async start(): Promise<QueuedTraffic> {
    const redis = await RedisServer.start();
    const client = await redisClient(redis.url);
    // a key of another type
    await client.set(BROKEN, 'text');
    client.destroy();
    return new QueuedTraffic(redis);
  }

  /** Parameters of the async broker. */
  get broker(): Readonly<Record<string, unknown>> {
    return { redis_url: this.redis.url, routes: [{ model: 'broken', queue: BROKEN }] };
  }

  /** Everything once. @param url of the coordinator @throws Error when a request gets another status than it should */
  async round(url: string): Promise<void> {
    await ask(url, 202, { mode: 'enqueue' });
    await ask(url, 503, { mode: 'enqueue', model: 'broken' });
    await ask(url, 504, { mode: 'wait' });
    await ask(url, 200, { mode: 'passthrough' });
  }

  close(): Promise<void> {
    return this.redis.close();
  }
}

async function ask(url: string, status: number, { mode, model = 'sim-model' }: { mode: string; model?: string }) {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-llm-d-async-mode': mode,
      'x-llm-d-request-timeout-seconds': '1',
    },
    body: JSON.stringify({ model, max_tokens: 2, messages: [{ role: 'user', content: 'something to wait for' }] }),
  });
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`${mode}: status ${answer.status}, not ${status}: ${text}`);
}
