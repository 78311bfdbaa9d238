import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FakeUpstream, cleanup, json } from '#testing';
import { hasHelm, rendered } from '../integration/helm.chart.ts';
import type { Values } from '../integration/helm.chart.ts';
import { RedisServer } from '../integration/redis.fixture.ts';
import { chartContainers } from './support/chart.container.ts';
import type { App, ChartContainer } from './support/chart.container.ts';
import { probeAnswers } from './support/chart.probes.ts';
import { checkChartProgram, startChartProgram } from './support/chart.program.ts';
import type { ChartProgram } from './support/chart.program.ts';

// programs are started, and the machine may be busy
jest.setTimeout(120_000);

const withHelm = hasHelm ? describe : describe.skip;
const later = cleanup();
const ANSWER = '{"choices":[{"message":{"role":"assistant","content":"done"}}]}';

withHelm('what the chart ships for queued requests, run on this machine', () => {
  let redis: RedisServer;
  let gateway: FakeUpstream;
  beforeAll(async () => {
    redis = await RedisServer.start();
    gateway = await FakeUpstream.start((_request, response) => json(response, ANSWER));
  });
  afterAll(async () => {
    await gateway.close();
    await redis.close();
  });

  /** @param coordinator where it is, as a Service would say */
  async function containers(coordinator: string): Promise<readonly ChartContainer[]> {
    const steps = [{ type: 'async-broker' }, { type: 'decode' }];
    const values: Values = {
      redis: { url: redis.url },
      coordinator: { config: { gateway: { address: gateway.url }, pipeline: { steps } } },
      asyncWorker: { enabled: true, config: { coordinator: { address: coordinator } } },
    };
    return chartContainers(await rendered(values));
  }

  async function start(app: App, coordinator = ''): Promise<ChartProgram> {
    const shipped = (await containers(coordinator)).find((one) => one.app === app && !one.isCheck);
    if (shipped === undefined) throw new Error(`the chart has no ${app}`);
    const program = await startChartProgram(shipped);
    later(() => program.stop());
    return program;
  }

  const urlOf = ({ ports }: ChartProgram): string => `http://127.0.0.1:${[...ports.values()][0]}`;

  it('is found right by the containers that look at it first, and by those of helm test', async () => {
    const checks = (await containers('http://coordinator')).filter(
      ({ app, isCheck }) => app === 'async-worker' && isCheck,
    );
    expect(checks.map(({ of }) => of)).toEqual(['Deployment/llm-d-async-worker', 'Pod/llm-d-async-worker-check']);
    for (const check of checks) expect(await checkChartProgram(check)).toMatchObject({ code: 0 });
  });

  it('takes what the coordinator queues, and has it answered by way of the coordinator', async () => {
    const coordinator = await start('coordinator', 'http://coordinator');
    const worker = await start('async-worker', urlOf(coordinator));
    expect(worker.changed).toEqual([
      '/etc/async-worker/async-worker.yaml',
      'ASYNC_WORKER_SERVER_LISTEN_ADDR',
      'ASYNC_WORKER_SERVER_METRICS_PORT',
    ]);
    const { container } = worker.shipped;
    expect(await probeAnswers(container, worker.ports)).toEqual({
      startupProbe: 200,
      livenessProbe: 200,
      readinessProbe: 200,
    });
    const answer = await fetch(`${urlOf(coordinator)}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-llm-d-async-mode': 'wait' },
      body: '{"model":"m","messages":[{"role":"user","content":"Take your time."}]}',
    });
    expect([answer.status, await answer.text()]).toEqual([200, ANSWER]);
    expect(gateway.requests).toHaveLength(1);
    const metrics = await fetch(`http://127.0.0.1:${worker.ports.get(9090)}/metrics`);
    expect(await metrics.text()).toMatch(/^llm_d_async_worker_messages_total\{.*outcome="delivered".*\} 1$/m);
    worker.process.signal('SIGTERM');
    expect(await worker.process.ended).toEqual({ code: 0, signal: null });
  });
});
