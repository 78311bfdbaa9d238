import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { BrokerKeys, QueueFigures, RedisConnection, RequestStore, WorkerKeys, mirrored, readResult } from '#broker';
import type { RequestKeys } from '#broker';
import { DispatchObserver } from '#dispatch';
import type { Dispatch, DispatchEnd } from '#dispatch';
import { joinRope } from '#json';
import { JsonLogger } from '#telemetry';
import { FakeUpstream } from '#testing';
import type { Handler } from '#testing';
import { LeasedQueue } from '../../libs/dispatch/src/leased.queue.ts';
import { RedisClock } from '../../libs/dispatch/src/redis.clock.ts';
import { asyncWorkerConfig } from '../../apps/async-worker/src/async-worker.config.ts';
import { startAsyncWorker } from '../../apps/async-worker/src/start.ts';
import type { RunningAsyncWorker } from '../../apps/async-worker/src/start.ts';
import { eventually } from './broker.fixture.ts';
import { redisClient } from './redis.fixture.ts';
import type { RedisServer, TestRedis } from './redis.fixture.ts';

export const QUEUE = 'request-sortedset';
export const TENANT = 'team-a';
/** Found in nothing but content. */
export const SECRET = 'SECRET-PROMPT';
export const PAYLOAD = `{"model":"m","messages":[{"role":"user","content":"${SECRET}"}]}`;

/** What a request is queued with. */
export interface Queued {
  readonly tenant?: string;
  readonly payload?: string;
  /** Seconds from now. */
  readonly seconds?: number;
  /** Seconds since it was queued. */
  readonly age?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly endpoint?: string;
  readonly queue?: string;
}

/** One message from being taken to being let go of, as the observer saw it. */
export interface Observed {
  readonly dispatch: Dispatch;
  readonly end: DispatchEnd;
}

/** Keeps what it is told. */
export class RecordingObserver extends DispatchObserver {
  readonly ended: Observed[] = [];
  readonly recoveries: string[] = [];
  readonly failures: string[] = [];
  readonly queues: string[] = [];

  began(queues: readonly string[]): void {
    this.queues.push(...queues);
  }

  async around(dispatch: Dispatch, next: () => Promise<DispatchEnd>): Promise<DispatchEnd> {
    const end = await next();
    this.ended.push({ dispatch, end });
    return end;
  }

  recovered(queue: string, why: 'lease' | 'retry', count: number): void {
    this.recoveries.push(`${queue} ${why} ${count}`);
  }

  commandFailed(command: string, reason: string): void {
    this.failures.push(`${command} ${reason}`);
  }

  /** `outcome` of everything that has ended, in its order. */
  get outcomes(): string[] {
    return this.ended.map(({ end }) => end.outcome);
  }
}

/** A worker in this process. */
export interface BenchWorker {
  readonly running: RunningAsyncWorker;
  readonly observer: RecordingObserver;
  readonly lines: string[];
  stop(): Promise<void>;
}

/** Sections that differ from a worker that is quick. */
export type Sections = Readonly<Record<string, unknown>>;

/** Redis, a server in the coordinator's place, and workers between them. */
export class WorkerBench {
  readonly keys: BrokerKeys;
  private readonly workers: BenchWorker[] = [];

  private constructor(
    readonly server: RedisServer,
    readonly redis: TestRedis,
    readonly upstream: FakeUpstream,
    private readonly connection: RedisConnection,
  ) {
    this.keys = new BrokerKeys('quota:');
  }

  static async start(server: RedisServer, handler: Handler): Promise<WorkerBench> {
    Logger.overrideLogger(false);
    const connection = await connectionTo(server);
    return new WorkerBench(server, await redisClient(server.url), await FakeUpstream.start(handler), connection);
  }

  async worker(sections: Sections = {}): Promise<BenchWorker> {
    const observer = new RecordingObserver();
    const lines: string[] = [];
    const logger = new JsonLogger(5, 'test', { write: (line) => void lines.push(line) });
    const running = await startAsyncWorker({ config: this.config(sections) }, { logger, observer });
    const worker = { running, observer, lines, stop: () => running.shutdown.run('SIGTERM') };
    this.workers.push(worker);
    return worker;
  }

  config(sections: Sections = {}) {
    const { worker, server, coordinator, ...rest } = sections;
    return asyncWorkerConfig.parse({
      redis_url: this.server.url,
      ...rest,
      coordinator: { address: this.upstream.url, ...section(coordinator) },
      worker: { poll_interval: '20ms', lease: '3s', ...section(worker) },
      server: { listen_addr: '127.0.0.1:0', metrics_port: 0, shutdown_timeout: '1s', ...section(server) },
    });
  }

  /** Queues a request as the coordinator's step does. */
  async enqueue(id: string, queued: Queued = {}): Promise<RequestKeys> {
    const { tenant = TENANT, payload = PAYLOAD, seconds = 600, age = 0, headers = {}, metadata = {} } = queued;
    const keys = this.keys.of(tenant, id);
    const now = Math.floor(Date.now() / 1000);
    const isQueued = await new RequestStore(this.connection).submit({
      keys,
      queue: queued.queue ?? QUEUE,
      created: now - age,
      deadline: now + seconds,
      payload: [Buffer.from(payload)],
      metadata: { userid: tenant, ...metadata },
      headers,
      endpoint: queued.endpoint ?? '/v1/chat/completions',
      replaces: false,
    });
    if (!isQueued) throw new Error(`${id} is queued already`);
    return keys;
  }

  /** Done when the test's own clients are connected again. */
  async backAgain(): Promise<void> {
    await eventually(() => this.redis.isReady);
    await eventually(async () => (await this.connection.outage()) === undefined);
  }

  /** Puts anything on the queue. */
  async put(member: string | Buffer, score = Math.floor(Date.now() / 1000) + 600, queue = QUEUE): Promise<void> {
    await this.redis.sendCommand(['ZADD', queue, String(score), Buffer.from(member)]);
  }

  /** The client's wish that a request is not done. */
  async cancel(keys: RequestKeys): Promise<void> {
    await new RequestStore(this.connection).cancel(keys);
  }

  /** What the client of a request is answered, `pending` while there is no result; fails where there are several. */
  async answer(id: string, tenant = TENANT): Promise<{ status: number; text: string } | 'pending'> {
    const keys = this.keys.of(tenant, id);
    if ((await this.redis.lLen(keys.mailbox)) > 1) throw new Error(`${id} has more than one result`);
    const result = await new RequestStore(this.connection).result(keys);
    if (result === undefined) return 'pending';
    const { status, body } = await mirrored(await readResult(result), id);
    return { status, text: joinRope(body).toString() };
  }

  /** The same, waited for. */
  async answered(id: string, tenant = TENANT): Promise<{ status: number; text: string }> {
    await eventually(async () => (await this.answer(id, tenant)) !== 'pending', 20_000);
    const answer = await this.answer(id, tenant);
    if (answer === 'pending') throw new Error(`${id} is pending`);
    return answer;
  }

  /** Ids of the requests that came in, in their order, as `id` of their payload. */
  get asked(): string[] {
    return this.upstream.requests.map(({ body }) => idIn(body));
  }

  /** Milliseconds until the next try of the one message that waits for it. */
  async dueIn(queue = QUEUE): Promise<number> {
    const [waiting] = await this.redis.zRangeWithScores(new WorkerKeys(queue).retries, 0, 0);
    const [seconds, micros] = (await this.redis.sendCommand(['TIME'])) as unknown as [string, string];
    return (waiting?.score ?? Number.NaN) - Number(seconds) * 1000 - Number(micros) / 1000;
  }

  /** Has every message that waits for its next try be due at once. */
  async makeDue(queue = QUEUE): Promise<void> {
    const { retries } = new WorkerKeys(queue);
    for (const receipt of await this.redis.zRange(retries, 0, -1))
      await this.redis.zAdd(retries, { score: 1, value: receipt });
  }

  /** The queue itself, for a worker that disappears. */
  queue(name = QUEUE): LeasedQueue {
    return new LeasedQueue(this.connection, new RedisClock(), name);
  }

  get figures(): QueueFigures {
    return new QueueFigures(this.connection);
  }

  /** What workers keep of a queue. */
  async kept(queue = QUEUE): Promise<Record<'leases' | 'holders' | 'taken' | 'retries' | 'dead', number>> {
    const keys = new WorkerKeys(queue);
    return {
      leases: await this.redis.zCard(keys.leases),
      holders: await this.redis.hLen(keys.holders),
      taken: await this.redis.hLen(keys.taken),
      retries: await this.redis.zCard(keys.retries),
      dead: await this.redis.zCard(keys.dead),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await this.upstream.close();
    await this.connection.onApplicationShutdown();
    this.redis.destroy();
  }
}

/** A payload that is told from others by its id. */
export function payloadOf(id: string, rest = ''): string {
  return `{"id":${JSON.stringify(id)},"model":"m"${rest}}`;
}

export function idIn(body: Buffer): string {
  return /"id":"([^"]*)"/.exec(body.toString())?.[1] ?? '';
}

export const NOTHING_KEPT = { leases: 0, holders: 0, taken: 0, retries: 0, dead: 0 };

/** Connected as the coordinator's step is. */
async function connectionTo({ url }: RedisServer): Promise<RedisConnection> {
  const redis = asyncWorkerConfig.parse({ redis_url: url, coordinator: { address: 'http://none' } }).redis;
  const connection = new RedisConnection({
    servers: { redis_url: url, redis },
    user: 'test',
    setting: 'test',
    key: QUEUE,
    wakeupMode: 'poll',
    whileAway: 'nothing is done',
    onConnected: () => undefined,
    onFailure: () => undefined,
  });
  await connection.onModuleInit();
  return connection;
}

function section(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
