import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FakeUpstream, TcpPeer, json } from '#testing';
import { RedisServer, redisClient } from '../integration/redis.fixture.ts';
import type { TestRedis } from '../integration/redis.fixture.ts';
import { CoordinatorProcess } from './support/coordinator.process.ts';
import { eventually } from './support/eventually.ts';
import { freePort } from './support/free-port.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

jest.setTimeout(180_000);

const HELD = 5_000;
/** Connections that are made at a time. */
const AT_ONCE = 100;
/** Bytes of a held request. */
const LIMIT = 40 * 1024;
const BODY = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';

describe(`${HELD} requests that wait`, () => {
  const folder = new TemporaryFolder();
  let redis: RedisServer;
  let client: TestRedis;
  let gateway: FakeUpstream;
  let coordinator: CoordinatorProcess;
  let url = '';

  beforeAll(async () => {
    redis = await RedisServer.start();
    client = await redisClient(redis.url);
    gateway = await FakeUpstream.start((_request, response) => json(response, {}));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const params = { redis_url: redis.url, timeouts: { wait: { default_seconds: 600 } } };
    const file = folder.write('coordinator.yaml', {
      log_level: 1,
      server: { listen_addr: `127.0.0.1:${port}`, metrics_port: 0, warmup: '0s' },
      gateway: { address: gateway.url },
      pipeline: { steps: [{ type: 'async-broker', params }, { type: 'decode' }] },
    });
    coordinator = new CoordinatorProcess(['--config', file]);
    await coordinator.ready(url);
  });

  afterAll(async () => {
    await coordinator.stop();
    client.destroy();
    await gateway.close();
    await redis.close();
    folder.remove();
  });

  it('cost one pub/sub connection and no more than 40 KiB each, and are all answered', async () => {
    // what the first requests leave behind is the process's, not theirs
    await released(await held('warm', 200));
    const before = residentBytes(coordinator.pid);
    const peers = await held('job', HELD);
    expect(await subscriptions()).toEqual([HELD]);
    const each = (residentBytes(coordinator.pid) - before) / HELD;
    expect(each).toBeLessThan(LIMIT);
    await released(peers);
    await eventually(async () => (await subscriptions()).every((count) => count === 0));
  });

  /** Holds so many requests. */
  async function held(name: string, count: number): Promise<TcpPeer[]> {
    const peers: TcpPeer[] = [];
    for (let first = 0; first < count; first += AT_ONCE) {
      const opened = Array.from({ length: AT_ONCE }, async (_, index) => {
        const peer = await TcpPeer.to(url);
        const id = `${name}-${first + index}`;
        const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-llm-d-async-mode: wait\r\nx-request-id: ${id}\r\n`;
        return peer.send(`${head}content-length: ${BODY.length}\r\n\r\n${BODY}`);
      });
      peers.push(...(await Promise.all(opened)));
    }
    await eventually(async () => (await subscriptions()).includes(count));
    await eventually(async () => (await client.zCard('request-sortedset')) === count);
    return peers;
  }

  /** Answers all requests in the queue, and waits for their clients to have the answer. */
  async function released(peers: readonly TcpPeer[]): Promise<void> {
    const members = await client.zRange('request-sortedset', 0, -1);
    await client.del('request-sortedset');
    for (const member of members) {
      const mailbox = /"result_queue_name":"([^"]+)"/.exec(member)?.[1] ?? '';
      await client.lPush(mailbox, '{"status_code":200,"payload":"{}"}');
    }
    for (const peer of peers) {
      expect(await peer.until('\r\n\r\n{}')).toMatch(/^HTTP\/1.1 200 /);
      peer.socket.destroy();
    }
  }

  /** How many channels each of the coordinator's connections that has any, or had, is subscribed to. */
  async function subscriptions(): Promise<number[]> {
    const list = JSON.stringify(await client.sendCommand(['CLIENT', 'LIST', 'TYPE', 'pubsub']));
    return [...list.matchAll(/ sub=(\d+) /g)].map(([, count]) => Number(count));
  }
});

function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1024;
}
