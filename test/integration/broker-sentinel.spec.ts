import { describe, expect, it, jest } from '@jest/globals';
import { cleanup } from '#testing';
import { freePort } from '../e2e/support/free-port.ts';
import { CHAT, eventually } from './broker.fixture.ts';
import { RedisServer, redisClient } from './redis.fixture.ts';
import { ObservedCluster } from './telemetry-cluster.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';

jest.setTimeout(120_000);
const later = cleanup();

/** A master, its replica and one sentinel that fails over by itself. */
async function startSentinel() {
  const notify = ['--notify-keyspace-events', 'Kl'];
  const master = await RedisServer.start({ args: notify });
  later(() => master.close());
  const replica = await RedisServer.start({ args: [...notify, '--replicaof', '127.0.0.1', String(master.port)] });
  later(() => replica.close());
  const port = await freePort();
  const file = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor broker 127.0.0.1 ${master.port} 1`,
    'sentinel down-after-milliseconds broker 500',
    'sentinel failover-timeout broker 2000',
    '',
  ].join('\n');
  const sentinel = await RedisServer.start({ port, file });
  later(() => sentinel.close());
  const client = await redisClient(replica.url);
  later(() => client.destroy());
  await eventually(async () => (await client.info('replication')).includes('master_link_status:up'), 30_000);
  const watcher = await redisClient(sentinel.url);
  later(() => watcher.destroy());
  await eventually(
    async () =>
      JSON.stringify(await watcher.sendCommand(['SENTINEL', 'REPLICAS', 'broker'])).includes(String(replica.port)),
    30_000,
  );
  return { master, replica, sentinel, client };
}

describe('async-broker with sentinels', () => {
  it('asks them for the master, and goes on with the next one when that is gone', async () => {
    const { master, sentinel, client } = await startSentinel();
    const cluster = await ObservedCluster.start();
    later(() => cluster.close());
    const params = { redis_url: sentinel.url, redis: { topology: 'sentinel', master_name: 'broker' } };
    const steps = [{ type: 'async-broker', params }, 'decode'];
    const coordinator = await ObservedCoordinator.start(cluster, { steps });
    later(() => coordinator.close());
    const ask = (mode: string, id: string): Promise<Response> =>
      fetch(`${coordinator.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-llm-d-async-mode': mode, 'x-request-id': id },
        body: CHAT,
      });
    expect((await ask('enqueue', 'before')).status).toBe(202);
    await eventually(async () => (await client.exists('request-active:default:before')) === 1);
    await master.stop();
    await eventually(async () => (await ask('enqueue', 'after')).status === 202, 60_000);
    const found = await fetch(`${coordinator.url}/v1/requests/before`);
    expect(found.status).toBe(202);
    const held = ask('wait', 'after');
    await eventually(
      async () => (await client.pubSubChannels()).some((name) => name.endsWith(':default:after')),
      30_000,
    );
    await client.lPush('results:req:default:after', '{"status_code":200,"payload":"{}"}');
    expect((await held).status).toBe(200);
  });

  it('does not start where no master has the name', async () => {
    const { sentinel } = await startSentinel();
    const cluster = await ObservedCluster.start();
    later(() => cluster.close());
    const params = { redis_url: sentinel.url, redis: { topology: 'sentinel', master_name: 'other' } };
    const steps = [{ type: 'async-broker', params }, 'decode'];
    await expect(ObservedCoordinator.start(cluster, { steps })).rejects.toThrow('redis cannot be used');
  });
});
