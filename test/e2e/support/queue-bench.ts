import { FakeUpstream } from '#testing';
import type { Handler } from '#testing';
import { RedisServer, redisClient } from '../../integration/redis.fixture.ts';
import type { TestRedis } from '../../integration/redis.fixture.ts';
import { AsyncWorkerProcess } from './async-worker.process.ts';
import type { AsyncWorkerOptions } from './async-worker.process.ts';
import { CoordinatorProcess } from './coordinator.process.ts';
import { freePort } from './free-port.ts';
import { TemporaryFolder } from './temporary-folder.ts';

export const QUEUE = 'request-sortedset';

/** What Redis has answered for is on disk. */
const DURABLE = ['--appendfsync', 'always', '--notify-keyspace-events', 'Kl'];

/** A result as it lies in a mailbox. */
export interface Result {
  readonly id: string;
  readonly status_code?: number;
  readonly payload?: string;
  readonly error_code?: string;
}

/** An answer of the coordinator. */
export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** What is asked for, and how. */
export interface Asked {
  readonly id: string;
  readonly tenant?: string;
  readonly mode?: 'enqueue' | 'wait';
  /** Further members of the body. */
  readonly body?: object;
  /** Seconds to its deadline. */
  readonly seconds?: number;
  /** The client leaves when it aborts. */
  readonly signal?: AbortSignal;
}

/** A durable Redis, the built coordinator that queues requests in it, async workers, and a scripted server that serves what they send. */
export class QueueBench {
  private readonly workers: AsyncWorkerProcess[] = [];

  private constructor(
    readonly redis: RedisServer,
    readonly client: TestRedis,
    /** Stands in for the coordinator where requests are served. */
    readonly served: FakeUpstream,
    private readonly coordinator: CoordinatorProcess,
    private readonly folder: TemporaryFolder,
    /** Where requests are queued. */
    readonly url: string,
  ) {}

  /** @param handler answers what the workers send @param params of the step `async-broker` */
  static async start(handler: Handler, params: object = {}): Promise<QueueBench> {
    const redis = await RedisServer.start({ args: DURABLE });
    const served = await FakeUpstream.start(handler);
    const folder = new TemporaryFolder();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const file = folder.write('coordinator.yaml', {
      log_level: 1,
      server: { listen_addr: `127.0.0.1:${port}`, metrics_port: 0, warmup: '0s' },
      gateway: { address: served.url },
      pipeline: {
        steps: [{ type: 'async-broker', params: { redis_url: redis.url, ...params } }, { type: 'decode' }],
      },
    });
    const coordinator = new CoordinatorProcess(['--config', file]);
    await coordinator.ready(url);
    return new QueueBench(redis, await redisClient(redis.url), served, coordinator, folder, url);
  }

  /** A worker that takes messages when this is done. */
  async worker(changes: Partial<AsyncWorkerOptions> = {}): Promise<AsyncWorkerProcess> {
    return this.kept(await AsyncWorkerProcess.start(this.optionsOf(changes)));
  }

  /** A worker that may have to wait for Redis. */
  async launchedWorker(changes: Partial<AsyncWorkerOptions> = {}): Promise<AsyncWorkerProcess> {
    return this.kept(await AsyncWorkerProcess.launch(this.optionsOf(changes)));
  }

  /** Queues a request. */
  async submit({
    id,
    tenant = 'default',
    mode = 'enqueue',
    body = {},
    seconds = 600,
    signal,
  }: Asked): Promise<Answered> {
    const answer = await fetch(`${this.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-request-id': id,
        'x-llm-d-tenant': tenant,
        'x-llm-d-async-mode': mode,
        'x-llm-d-request-timeout-seconds': String(seconds),
      },
      body: JSON.stringify({ model: 'm', id, messages: [{ role: 'user', content: 'hi' }], ...body }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  /** Asks about a request that was queued, or gives it up. */
  async about(method: 'GET' | 'DELETE', id: string, tenant = 'default'): Promise<Answered> {
    const answer = await fetch(`${this.url}/v1/requests/${id}`, { method, headers: { 'x-llm-d-tenant': tenant } });
    return { status: answer.status, text: await answer.text() };
  }

  /** All that lies in the mailbox of a request, which is one result, or none yet. */
  async mailbox(id: string, tenant = 'default'): Promise<Result[]> {
    const found = await this.client.lRange(`results:req:${tenant}:${id}`, 0, -1);
    return found.map((text) => JSON.parse(text) as Result); // coordinator.md C.9 has the shape
  }

  /** Messages that workers hold, and that wait for a try. */
  async held(): Promise<{ readonly leased: number; readonly retrying: number }> {
    const [leased, retrying] = await Promise.all([
      this.client.zCard(`async-worker:leases:${QUEUE}`),
      this.client.zCard(`async-worker:retries:${QUEUE}`),
    ]);
    return { leased, retrying };
  }

  /** Keys of requests that are not over, and of what workers hold; none when every request has ended. */
  async unfinished(): Promise<string[]> {
    const kept = /^(results:req|async-worker:(dead|letters|dead-members)):/;
    return (await this.client.keys('*')).filter((key) => !kept.test(key)).toSorted();
  }

  async close(): Promise<void> {
    this.redis.thaw();
    for (const worker of this.workers) worker.signal('SIGKILL');
    await Promise.all(this.workers.map(({ ended }) => ended));
    this.coordinator.signal('SIGKILL');
    await this.coordinator.ended;
    this.client.destroy();
    await this.served.close();
    await this.redis.close();
    this.folder.remove();
  }

  private kept(worker: AsyncWorkerProcess): AsyncWorkerProcess {
    this.workers.push(worker);
    return worker;
  }

  private optionsOf(changes: Partial<AsyncWorkerOptions>): AsyncWorkerOptions {
    return { redisUrl: this.redis.url, coordinatorUrl: this.served.url, ...changes };
  }
}

/** Which request it is that a worker sends: its body says so. */
export function idOf(request: { readonly body: Buffer }): string {
  return (JSON.parse(request.body.toString()) as { id: string }).id; // as `submit` writes it
}
