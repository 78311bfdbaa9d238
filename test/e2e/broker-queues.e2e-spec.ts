import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../integration/broker.fixture.ts';
import { RedisServer, redisClient } from '../integration/redis.fixture.ts';
import { ensureChromium } from '../install/chromium.mjs';
import { openChromium } from './support/chromium.browser.ts';
import { CoordinatorProcess } from './support/coordinator.process.ts';
import { freePort } from './support/free-port.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

jest.setTimeout(90_000);

const DEPTH = 'llm_d_coordinator_async_queue_depth';
/** Looks are seconds apart, and a command that is not answered takes some, too. */
const PATIENCE = 30_000;

const executablePath = await ensureChromium();
const withChromium = executablePath === undefined ? it.skip : it;

describe('the queues of a coordinator with two workers', () => {
  const folder = new TemporaryFolder();
  let redis: RedisServer;
  let coordinator: CoordinatorProcess;
  let url: string;
  let admin: string;

  beforeAll(async () => {
    redis = await RedisServer.start();
    [url, admin] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
    coordinator = await started('queues.yaml', url, admin, [
      {
        type: 'async-broker',
        params: {
          redis_url: redis.url,
          routes: [
            { model: 'big', queue: 'batch' },
            { tenant: 'a', queue: 'batch' },
          ],
        },
      },
      { type: 'decode' },
    ]);
    const client = await redisClient(redis.url);
    const now = Math.floor(Date.now() / 1000);
    const member = (id: string, age: number): string => `{"data":{"id":"default:${id}","created":${now - age}}}`;
    await client.zAdd('batch', [
      { score: now + 900, value: member('later', 5) },
      { score: now + 300, value: member('next', 100) },
    ]);
    await client.zAdd('async-worker:leases:batch', { score: 1, value: 'a' });
    await client.zAdd('async-worker:dead:batch', [
      { score: 1, value: 'b' },
      { score: 2, value: 'c' },
    ]);
    client.destroy();
  });

  afterAll(async () => {
    await coordinator.stop();
    await redis.close();
    folder.remove();
  });

  async function started(name: string, at: string, adminAt: string, steps: readonly object[]) {
    const [{ host }, { port }] = [new URL(at), new URL(adminAt)];
    const server = { listen_addr: host, metrics_port: Number(port), warmup: '0s', workers: 2 };
    const gateway = { address: 'http://127.0.0.1:9' };
    const process = new CoordinatorProcess([
      '--config',
      folder.write(name, { log_level: 1, server, gateway, pipeline: { steps } }),
    ]);
    await process.ready(at);
    return process;
  }

  const queues = async (): Promise<unknown> => (await fetch(`${admin}/admin/queues`)).json();

  /** Lines of the metric, one for each series. */
  async function depths(): Promise<string[]> {
    return [...(await (await fetch(`${admin}/metrics`)).text()).matchAll(new RegExp(`^${DEPTH}\\{.*$`, 'gm'))].map(
      ([line]) => line,
    );
  }

  it('are listed, each once, with what lies in them', async () => {
    const empty = { depth: 0, leased: 0, retrying: 0, dead_letters: 0 };
    const batch = { depth: 2, leased: 1, retrying: 0, dead_letters: 2 };
    expect(await queues()).toEqual({
      queues: [
        { queue: 'request-sortedset', ...empty },
        { queue: 'batch', ...batch, oldest_seconds: expect.any(Number), deadline_seconds: expect.any(Number) },
      ],
    });
  });

  it('are gauges of one worker, since all see the same', async () => {
    await eventually(async () => (await depths()).includes(`${DEPTH}{worker="1",queue="batch"} 2`), PATIENCE);
    expect((await depths()).toSorted()).toEqual([
      `${DEPTH}{worker="1",queue="batch"} 2`,
      `${DEPTH}{worker="1",queue="request-sortedset"} 0`,
    ]);
  });

  withChromium('are on the admin page', async () => {
    const browser = await openChromium(executablePath ?? '', join(folder.path, 'profile'));
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    await page.goto(admin);
    const row = page.locator('#queue-rows tr', { hasText: 'batch' });
    await row.waitFor();
    const [depth, waits, left, held, retried, dead] = await row.locator('td').allTextContents();
    expect([depth, held, retried, dead]).toEqual(['2', '1', '0', '2']);
    expect([waits, left]).toEqual([expect.stringMatching(/min|s$/), expect.stringMatching(/ min /)]);
    expect(complaints).toEqual([]);
    await browser.close();
  });

  it('are not known while Redis is away, and then have no numbers', async () => {
    await redis.stop();
    expect(await queues()).toEqual({
      queues: ['request-sortedset', 'batch'].map((queue) => ({ queue, failure: expect.any(String) })),
    });
    await eventually(async () => (await depths()).length === 0, PATIENCE);
    await redis.run();
    await eventually(async () => (await depths()).length === 2, PATIENCE);
  });

  it('are not found where the pipeline has no broker', async () => {
    const [at, adminAt] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
    const other = await started('none.yaml', at, adminAt, [{ type: 'decode' }]);
    expect((await fetch(`${adminAt}/admin/queues`)).status).toBe(404);
    expect(await (await fetch(`${adminAt}/admin/status`)).json()).not.toHaveProperty('has_queues');
    await other.stop();
  });
});
