import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ensureEnvoy } from '../install/envoy.mjs';
import { ensurePrometheus } from '../install/prometheus.mjs';
import { ensureRedis } from '../install/redis.mjs';
import { eventually } from './support/eventually.ts';
import { isFree } from './support/free-port.ts';
import { treeShape } from './support/printed-tree.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';
import { UP_PORTS, UpProcess, freeOffset } from './support/up.process.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const redis = await ensureRedis();
if (redis === undefined) process.stdout.write('SKIPPED: up --async is not tried, since there is no Redis.\n');
const withRedis = redis === undefined ? describe.skip : describe;
const envoy = redis === undefined ? undefined : await ensureEnvoy();
if (envoy === undefined) process.stdout.write('SKIPPED: up --async --envoy is not tried, since there is no Envoy.\n');

const prometheus = await ensurePrometheus();

const TOPOLOGIES = [
  { name: 'the development gateway', flags: [] },
  ...(envoy === undefined ? [] : [{ name: 'Envoy and three pickers', flags: ['--envoy', '--pickers', '3'] }]),
];

withRedis.each(TOPOLOGIES)('node apps/simulator/up.mjs --async --demo --traces with $name', ({ flags }) => {
  it('queues, fetches, waits and cancels, one trace each through the queue, and leaves nothing behind', async () => {
    const offset = await freeOffset();
    const running = new UpProcess('--async', '--demo', '--traces', ...flags, '--port-offset', String(offset));
    const code = await running.ended;
    const { output } = running;
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(/^Redis \d+\.\d+\.\d+: \/.*redis-server$/m);
    const sections = output.split(/^\d\. /m).slice(1);
    const [fetched = '', waited = '', cancelled = ''] = sections;
    expect(fetched).toContain('\n   POST /v1/chat/completions enqueue → 202 pending\n');
    expect(fetched).toMatch(/\n {3}GET \/v1\/requests\/demo-1 → 200 [A-Z][a-z]+ [^\n]+\n {3}render \d+ms · probe 412 /);
    expect(waited).toMatch(/\n {3}POST \/v1\/chat\/completions wait → 200 [A-Z][^\n]+\n {3}render \d+ms · probe hit /);
    expect(cancelled).toMatch(
      /POST \/v1\/chat\/completions enqueue → 202 pending\n {3}DELETE \/v1\/requests\/demo-3 → 204\n/,
    );
    expect(cancelled).toMatch(/\n {3}GET \/v1\/requests\/demo-3 → 499 CANCELLED\n/);
    expect(output).toContain('All 3 ended as they should.');
    for (const section of sections) expect(section.match(/^trace [0-9a-f]{32} {2}demo-\d$/gm)).toHaveLength(1);
    for (const section of [fetched, waited])
      expect(treeShape(section)).toMatch(
        /^POST \/v1\/chat\/completions > .*enqueue > .*POST \/v1\/chat\/completions > pipeline/,
      );
    expect(await Promise.all(UP_PORTS.map((port) => isFree(port + offset)))).toEqual(UP_PORTS.map(() => true));
  });
});

withRedis('node apps/simulator/up.mjs --async', () => {
  let offset: number;
  let running: UpProcess;
  beforeAll(async () => {
    offset = await freeOffset();
    running = new UpProcess('--async', '--port-offset', String(offset));
    await running.says('Ready.');
  });
  afterAll(async () => {
    await running.stop();
  });

  it('shows how to queue a request, and a line for it and for what its worker has served', async () => {
    expect(running.output).toContain(`curl -i http://127.0.0.1:${8000 + offset}/v1/requests/job-1`);
    const answer = await fetch(`http://127.0.0.1:${8000 + offset}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'job-1', 'x-llm-d-async-mode': 'enqueue' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'There is no hurry. '.repeat(30) }] }),
    });
    expect([answer.status, await answer.json()]).toEqual([202, { id: 'job-1', status: 'pending' }]);
    await running.says(' · decode → decode-');
    expect(running.output).toMatch(/ job-1 POST \/v1\/chat\/completions 202 · \d+ms in all/);
    expect(running.output).toMatch(/ [0-9a-f-]{36} POST \/v1\/chat\/completions m 200 · render .* · decode → decode-/);
  });

  it('has an async worker with metrics and views of its queue', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${9095 + offset}/metrics`)).text();
    expect(metrics).toMatch(/^# TYPE \w+ /m);
    const queues = await fetch(`http://127.0.0.1:${8081 + offset}/admin/queues`);
    expect(await queues.text()).toContain('request-sortedset');
  });

  const withPrometheus = prometheus === undefined ? it.skip : it;
  withPrometheus('has the async worker scraped beside all others', async () => {
    await eventually(async () => {
      const answer = await fetch(`http://127.0.0.1:${9091 + offset}/api/v1/query?query=up`);
      const { data } = (await answer.json()) as UpAnswer; // Prometheus documents the shape
      const jobs = data.result.filter(({ value }) => value[1] === '1').map(({ metric }) => metric.job);
      return jobs.toSorted().join() === `async-worker,coordinator,epp${',vllm'.repeat(6)}`;
    });
  });

  it('exits 0 at SIGTERM', async () => {
    expect(await running.stop()).toBe(0);
  });
});

describe('node apps/simulator/up.mjs --async without a Redis', () => {
  it('exits 1 and says what to change', async () => {
    const running = new UpProcess('--async', '--redis-program', '/nowhere/redis-server');
    expect(await running.ended).toBe(1);
    expect(running.output).toContain(
      '/nowhere/redis-server is no Redis that runs here; --redis-program FILE names another one',
    );
    expect(running.output).not.toMatch(/\n\s+at /); // a message, and no stack
  });

  it('exits 1 and says why none can be installed, where there is none', () => {
    const folder = new TemporaryFolder();
    const { status, stdout, stderr } = spawnSync(process.execPath, ['apps/simulator/up.mjs', '--async'], {
      ...{ cwd: ROOT, encoding: 'utf8' },
      env: { PATH: folder.path },
    });
    folder.remove();
    expect(status).toBe(1);
    expect(stdout).toContain('NOT AVAILABLE: redis-server is not on the PATH and cannot be installed here');
    expect(stderr).toContain('--async: --redis-program FILE names a redis-server that lies elsewhere.');
  });

  it('is refused beside sidecars, which have no coordinator', async () => {
    const running = new UpProcess('--async', '--sidecar', '--redis-program', '/nowhere/redis-server');
    expect(await running.ended).toBe(1);
    expect(running.output).toContain('--async needs the coordinator, which --sidecar leaves out');
  });
});

interface UpAnswer {
  readonly data: { readonly result: readonly { readonly metric: { job: string }; readonly value: [number, string] }[] };
}
