import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freePort } from './support/free-port.ts';
import { childrenOf } from './support/process-tree.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';
import { openChat, readText } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const WITHIN_MS = 30_000;
const REQUESTS = 40;
const TOKEN = 'workers-admin-token';

const chat = (topic: string): object => ({
  model: 'm',
  stream: true,
  max_tokens: 2,
  messages: [{ role: 'user', content: `${topic}: tell me in a few plain words how it came about and why.` }],
});

describe('metrics and admin of server.workers: 2', () => {
  let stack: Stack;
  let admin: string;
  beforeEach(async () => {
    const port = await freePort();
    admin = `http://127.0.0.1:${port}`;
    stack = await startStack({ log_level: 2, server: { workers: 2, metrics_port: port }, admin: { token: TOKEN } });
    await eventually(async () => (await workersIn('process_cpu_seconds_total')).length === 2);
  });
  afterEach(() => stack.stop());

  async function eventually(isSo: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + WITHIN_MS;
    while (!(await isSo())) {
      if (Date.now() > deadline) throw new Error('it did not come about in time');
      await sleep(50);
    }
  }

  async function read(path: string, init: RequestInit = {}): Promise<string> {
    const answer = await fetch(admin + path, init);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  }

  const json = async (path: string, init?: RequestInit): Promise<unknown> => JSON.parse(await read(path, init));

  /** The series of a metric, as `[worker, value]`. */
  async function workersIn(metric: string): Promise<[string, number][]> {
    const samples = (await read('/metrics')).matchAll(new RegExp(`^${metric}\\{worker="(\\d+)"[^}]*\\} (\\S+)$`, 'gm'));
    return [...samples].map(([, worker = '', value]) => [worker, Number(value)]);
  }

  async function serveSome(): Promise<void> {
    const texts = await Promise.all(
      Array.from({ length: REQUESTS }, async (_, i) =>
        readText(await openChat(stack.coordinatorUrl, chat(`Thing ${i}`))),
      ),
    );
    for (const text of texts) expect(text).toMatch(/data: \[DONE\]\n\n$/);
  }

  it('are behind one port: each series by its worker, requests and totals of all', async () => {
    await serveSome();
    const counts = await workersIn('llm_d_coordinator_request_total');
    expect(counts.map(([worker]) => worker).toSorted()).toEqual(['1', '2']);
    expect(counts.reduce((sum, [, count]) => sum + count, 0)).toBe(REQUESTS);
    expect(await json('/admin/status')).toMatchObject({ workers: 2, isReady: true, totals: { requests: REQUESTS } });
    const { finished } = (await json('/admin/requests')) as { finished: { 'x-request-id': string }[] };
    expect(finished).toHaveLength(REQUESTS);
    const id = finished[0]?.['x-request-id'] ?? '';
    expect(await json(`/admin/requests/${id}`)).toMatchObject({ requests: [{ 'x-request-id': id }] });
  });

  it('are written to with the token, and then for every worker', async () => {
    const put = { method: 'PUT', body: '{"level":1}' };
    expect((await fetch(`${admin}/admin/log-level`, put)).status).toBe(401);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect(await json('/admin/log-level', { ...put, headers })).toEqual({ level: 1 });
    const before = stack.coordinator.output.length;
    await serveSome();
    expect(stack.coordinator.output.slice(before)).not.toContain('request finished');
    expect(await json('/admin/drain', { method: 'POST', headers })).toEqual({ phase: 'draining' });
    expect(await json('/admin/status')).toMatchObject({ workers: 2, isReady: false, phase: 'draining' });
  });

  it('go on without a worker that died, and with the one in its place', async () => {
    const [killed = 0] = childrenOf(stack.coordinator.pid);
    process.kill(killed, 'SIGKILL');
    await eventually(async () => (await workersIn('process_cpu_seconds_total')).length === 1);
    await eventually(async () => (await workersIn('process_cpu_seconds_total')).length === 2);
  });
});
