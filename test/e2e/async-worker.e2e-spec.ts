import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FakeUpstream, cleanup, json } from '#testing';
import { RedisServer, redisClient } from '../integration/redis.fixture.ts';
import type { TestRedis } from '../integration/redis.fixture.ts';
import { AsyncWorkerProcess } from './support/async-worker.process.ts';
import { builtApp } from './support/coordinator.process.ts';
import { freePort } from './support/free-port.ts';
import { ProgramProcess } from './support/program.process.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const QUEUE = 'request-sortedset';
const later = cleanup();

/** An envelope as the coordinator's step writes it. */
function envelope(id: string): string {
  const deadline = Math.floor(Date.now() / 1000) + 600;
  return JSON.stringify({
    internal: { request_token: 'ab'.repeat(16), request_queue_name: QUEUE, result_queue_name: `results:req:${id}` },
    request_kind: 'redis',
    data: { id, created: deadline - 600, deadline, payload: { model: 'm' }, metadata: {}, endpoint: '/v1/completions' },
  });
}

describe('the command line of the async worker', () => {
  const folder = new TemporaryFolder();
  afterAll(() => {
    folder.remove();
  });

  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const child = new ProgramProcess('the async worker', [...builtApp('async-worker'), ...args], env);
    const { code } = await child.ended;
    return { code, output: child.output };
  };
  const good = {
    coordinator: { address: 'http://coordinator.example:8080' },
    redis_url: 'redis://user:SECRET@redis.example:6379/2',
    admin: { token: 'SECRET' },
  };

  it('--check prints the configuration with its defaults and the environment, and no secret', async () => {
    const file = folder.write('good.yaml', good);
    const { code, output } = await run(['--config', file, '--check'], { ASYNC_WORKER_WORKER_LEASE: '7s' });
    expect(code).toBe(0);
    expect(output).toMatch(/^ {2}lease: 7s$/m);
    expect(output).toMatch(/^ {2}max_attempts: 5$/m);
    expect(output).not.toContain('SECRET');
  });

  it('lists everything that is wrong, and ends with 1', async () => {
    const file = folder.write('bad.yaml', {
      ...good,
      queues: ['async-worker:x'],
      worker: { lease: '1ms', concurency: 1 },
    });
    const { code, output } = await run(['--config', file]);
    expect(code).toBe(1);
    for (const path of ['queues[0]', 'worker.lease', 'worker.concurency']) expect(output).toContain(path);
  });

  it('ends with 1 and names the setting when Redis is away', async () => {
    const redis_url = `redis://user:SECRET@127.0.0.1:${await freePort()}`;
    const file = folder.write('away.yaml', {
      ...good,
      redis_url,
      server: { listen_addr: '127.0.0.1:0', metrics_port: 0 },
    });
    const { code, output } = await run(['--config', file]);
    expect(code).toBe(1);
    expect(output).toMatch(/redis_url +redis cannot be used: offline \(ECONNREFUSED\)/);
    expect(output).not.toContain('SECRET');
  });
});

describe('the async worker as a process', () => {
  let server: RedisServer;
  let redis: TestRedis;

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = await redisClient(server.url);
  });
  afterAll(async () => {
    redis.destroy();
    await server.close();
  });

  const resultOf = async (id: string): Promise<string | null> => redis.lIndex(`results:req:${id}`, 0);

  it('takes, serves and shows what it does, and ends with 0', async () => {
    const coordinator = await FakeUpstream.start((_, response) => json(response, '{"is":"served"}'));
    later(() => coordinator.close());
    const metrics_port = await freePort();
    const worker = await AsyncWorkerProcess.start({
      redisUrl: server.url,
      coordinatorUrl: coordinator.url,
      server: { metrics_port },
    });
    await redis.zAdd(QUEUE, { score: 1, value: envelope('team-a:job-1') });
    await worker.until(async () => (await resultOf('team-a:job-1')) !== null);
    expect(await resultOf('team-a:job-1')).toBe(
      '{"id":"team-a:job-1","status_code":200,"payload":"{\\"is\\":\\"served\\"}"}',
    );
    const metrics = await (await fetch(`http://127.0.0.1:${metrics_port}/metrics`)).text();
    expect(metrics).toMatch(/^llm_d_async_worker_messages_total\{queue="request-sortedset",outcome="delivered"\} 1$/m);
    expect((await fetch(`${worker.url}/admin/queues`)).status).toBe(200);
    await worker.stop();
  });

  it('gives back at SIGTERM what does not end in time, for the next one', async () => {
    const coordinator = await FakeUpstream.start((_, response) => {
      if (coordinator.requests.length > 1) json(response, '{"by":"the next"}');
    });
    later(() => coordinator.close());
    const options = { redisUrl: server.url, coordinatorUrl: coordinator.url, server: { shutdown_timeout: '300ms' } };
    const first = await AsyncWorkerProcess.start(options);
    await redis.zAdd(QUEUE, { score: 1, value: envelope('team-a:job-2') });
    await coordinator.received(1);
    await first.stop();
    expect(await redis.zRange(QUEUE, 0, -1)).toEqual([expect.stringContaining('"id":"team-a:job-2"')]);
    const next = await AsyncWorkerProcess.start(options);
    await next.until(async () => (await resultOf('team-a:job-2')) !== null);
    expect(await resultOf('team-a:job-2')).toContain('the next');
    await next.stop();
  });
});
