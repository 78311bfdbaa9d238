import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { JsonLogger } from '#telemetry';
import { cleanup } from '#testing';
import { asyncWorkerConfig } from '../../apps/async-worker/src/async-worker.config.ts';
import { startAsyncWorker } from '../../apps/async-worker/src/start.ts';
import { CHAT, eventually } from './broker.fixture.ts';
import { RedisServer, redisClient } from './redis.fixture.ts';
import type { TestRedis } from './redis.fixture.ts';
import { ObservedCluster } from './telemetry-cluster.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';

jest.setTimeout(120_000);

const SLOTS = [0, 5461, 10_923, 16_384];
const later = cleanup();

describe('async-broker with a cluster', () => {
  const servers: RedisServer[] = [];
  const clients: TestRedis[] = [];
  let cluster: ObservedCluster;

  beforeAll(async () => {
    cluster = await ObservedCluster.start();
    for (const index of [0, 1, 2]) {
      const server = await RedisServer.start({ args: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'] });
      servers.push(server);
      const client = await redisClient(server.url);
      clients.push(client);
      const [first = 0, last = 0] = SLOTS.slice(index);
      await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', String(first), String(last - 1)]);
      await client.sendCommand(['CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1)]);
      if (index > 0) await client.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', String(servers[0]?.port)]);
    }
    for (const client of clients) {
      await eventually(
        async () => JSON.stringify(await client.sendCommand(['CLUSTER', 'INFO'])).includes('cluster_state:ok'),
        30_000,
      );
    }
  });

  afterAll(async () => {
    for (const client of clients) client.destroy();
    for (const server of servers) await server.close();
    await cluster.close();
  });

  const start = async (params: object): Promise<ObservedCoordinator> => {
    const redis = { topology: 'cluster', nodes: [`127.0.0.1:${servers[1]?.port ?? 0}`] };
    const own = { redis_url: servers[0]?.url, redis, ...params };
    const coordinator = await ObservedCoordinator.start(cluster, {
      steps: [{ type: 'async-broker', params: own }, 'decode'],
    });
    later(() => coordinator.close());
    return coordinator;
  };

  // tags of several nodes
  it.each(['a', 'b', 'c', 'd', 'e'])(
    'keeps all keys of a request on one node, by the hash tag {%s} of the queues',
    async (tag) => {
      const queue = `{${tag}}request-sortedset`;
      const routes = [{ model: 'm', queue: `of-m-{${tag}}` }];
      const { url } = await start({ default_queue: queue, routes, quota: { limits: { 'team-a': 1 } } });
      const ask = (mode: string, id: string): Promise<Response> =>
        fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'x-llm-d-async-mode': mode, 'x-request-id': id, 'x-llm-d-tenant': 'team-a' },
          body: CHAT,
        });
      const wireId = `{${tag}}:team-a:${tag}`;
      expect((await ask('enqueue', tag)).status).toBe(202);
      expect((await fetch(`${url}/v1/requests/${tag}`, { headers: { 'x-llm-d-tenant': 'team-a' } })).status).toBe(202);
      const keys = await Promise.all(clients.map((client) => client.keys(`*{${tag}}*`)));
      const owner = keys.findIndex((found) => found.length > 0);
      expect(keys.map((found) => found.toSorted())).toEqual(
        clients.map((_, index) => (index === owner ? [`of-m-{${tag}}`, `request-active:${wireId}`] : [])),
      );
      const [member = ''] = (await clients[owner]?.zRange(`of-m-{${tag}}`, 0, -1)) ?? [];
      expect(JSON.parse(member)).toMatchObject({
        internal: { result_queue_name: `results:req:${wireId}` },
        data: { id: wireId, metadata: { userid: 'team-a' } },
      });
      const held = ask('wait', tag);
      await clients[owner]?.lPush(`results:req:${wireId}`, '{"status_code":200,"payload":"{}"}');
      expect((await held).status).toBe(200);
      expect((await ask('passthrough', 'live')).status).toBe(200);
      const gone = await fetch(`${url}/v1/requests/${tag}`, {
        method: 'DELETE',
        headers: { 'x-llm-d-tenant': 'team-a' },
      });
      expect(gone.status).toBe(204);
    },
  );

  it.each([
    ['a queue without a hash tag', {}],
    ['an empty hash tag', { default_queue: '{}q' }],
    ['a route with another hash tag', { default_queue: '{a}q', routes: [{ queue: '{b}q' }] }],
    ['a route without one', { default_queue: '{a}q', routes: [{ queue: 'q' }] }],
    ['notifications', { default_queue: '{a}q', wakeup_mode: 'notify' }],
    ['a database', { default_queue: '{a}q', redis_url: 'redis://127.0.0.1:1/2' }],
  ])('does not start with %s', async (_what, params) => {
    await expect(start(params)).rejects.toThrow(/hash tag|on its own node only|database 0 only/);
  });

  it.each(['a', 'b', 'c'])('has its requests done by an async worker, by the hash tag {%s}', async (tag) => {
    const queues = [`{${tag}}first`, `second-{${tag}}`];
    const { url } = await start({ default_queue: queues[0], routes: [{ model: 'm', queue: queues[1] }] });
    const redis = { topology: 'cluster', nodes: [`127.0.0.1:${servers[1]?.port ?? 0}`] };
    const config = asyncWorkerConfig.parse({
      coordinator: { address: url },
      redis_url: servers[0]?.url,
      redis,
      queues,
      worker: { poll_interval: '20ms' },
      server: { listen_addr: '127.0.0.1:0', metrics_port: 0 },
    });
    const worker = await startAsyncWorker(
      { config },
      { logger: new JsonLogger(1, 'test', { write: () => undefined }) },
    );
    later(() => worker.shutdown.run('SIGTERM'));
    const headers = { 'x-llm-d-async-mode': 'wait', 'x-request-id': `worked-${tag}`, 'x-llm-d-tenant': 'team-a' };
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: CHAT });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('choices')]);
  });
});
