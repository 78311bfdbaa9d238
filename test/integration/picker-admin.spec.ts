import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '#runtime';
import { DecisionLog, Director, EndpointStore, PLUGINS, buildPicker, loadPickerConfig } from '#scheduling';
import { JsonLogger } from '#telemetry';
import { PickerAdminModule, PickerMetrics, PoolGauges } from '#telemetry/picker';

const CONFIG = `{apiVersion: llm-d.ai/v1alpha1, kind: EndpointPickerConfig,
  plugins: [{type: decode-filter}, {type: queue-scorer}, {type: max-score-picker}]}`;
const PATH = '/v1/chat/completions';

let app: NestFastifyApplication;
let url: string;
let director: Director;
let refreshed = 0;

const pod = (name: string, role: string) => ({
  id: `ns/${name}`,
  namespace: 'ns',
  name,
  address: `10.0.0.${name.at(-1) ?? ''}`,
  port: 8000,
  labels: { 'llm-d.ai/role': role },
});

beforeEach(async () => {
  const endpoints = new EndpointStore();
  const decisions = new DecisionLog();
  const metrics = new PickerMetrics();
  const warn = (): void => undefined;
  const parts = buildPicker(loadPickerConfig({ text: CONFIG }, warn), { classes: PLUGINS, endpoints, warn });
  endpoints.replace([pod('pod-1', 'decode'), pod('pod-2', 'decode'), pod('pod-3', 'prefill')]);
  for (const { endpoint } of endpoints.all()) {
    endpoints.observe(endpoint, { waiting: endpoint.name === 'pod-1' ? 3 : 0, updatedAt: performance.now() });
  }
  director = new Director(parts, endpoints, decisions);
  const gauges = new PoolGauges(metrics, endpoints, { name: 'pool', staleness: 60_000 });
  refreshed = 0;
  const refresh = (): void => {
    refreshed++;
    gauges.update();
  };
  const logger = new JsonLogger(1, 'test', { write: () => undefined });
  const module = PickerAdminModule.register({ metrics, endpoints, decisions, refresh });
  app = await createApp(module, { logger, readTimeout: 0 });
  await app.init();
  url = await app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => app.close());

async function ask(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url + path, { headers });
  return { status: answer.status, text: await answer.text() };
}

function route(id: string, content = 'SECRET-PROMPT'): ReturnType<Director['route']> {
  const body = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }));
  return director.route({ id, path: PATH, headers: new Map(), body, subset: undefined });
}

describe('the listener of an endpoint picker', () => {
  it('says why a request went where it did, and nothing of what it held', async () => {
    await route('first');
    await route('second');
    const { status, text } = await ask('/admin/decisions?count=1');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      decisions: [
        expect.objectContaining({
          requestId: 'second',
          targetModel: 'm',
          primary: 'default',
          profiles: [
            {
              profile: 'default',
              filters: [{ filter: 'decode-filter', left: ['ns/pod-1', 'ns/pod-2'] }],
              scorers: [{ scorer: 'queue-scorer', weight: 1, scores: { 'ns/pod-1': 0, 'ns/pod-2': 1 } }],
              totals: { 'ns/pod-1': 0, 'ns/pod-2': 1 },
              picked: ['ns/pod-2'],
            },
          ],
        }),
      ],
    });
    expect(text).not.toContain('SECRET');
  });

  it.each(['0', '-1', '257', 'many'])('refuses %s decisions', async (count) => {
    expect(await ask(`/admin/decisions?count=${count}`)).toMatchObject({ status: 400 });
  });

  it('lists endpoints with what they last said of themselves', async () => {
    const { endpoints } = JSON.parse((await ask('/admin/endpoints')).text) as {
      endpoints: { load: { age_ms?: number } }[];
    };
    expect(endpoints).toHaveLength(3);
    expect(endpoints[0]).toMatchObject({
      id: 'ns/pod-1',
      labels: { 'llm-d.ai/role': 'decode' },
      load: { waiting: 3 },
    });
    expect(endpoints[0]?.load.age_ms).toBeGreaterThanOrEqual(0);
  });

  it('brings the gauges up to date for each scrape, in either format', async () => {
    const { text } = await ask('/metrics');
    expect(text).toContain('llm_d_epp_ready_endpoints{name="pool"} 3\n');
    const openmetrics = await ask('/metrics', { accept: 'application/openmetrics-text;version=1.0.0' });
    expect(openmetrics.text).toMatch(/# EOF\n$/);
    expect(refreshed).toBe(2);
  });

  it('shows metrics to whoever comes, and everything else on the machine itself only', async () => {
    const far = { 'x-forwarded-for': '10.1.1.1' };
    expect((await ask('/metrics', far)).status).toBe(200);
    expect((await ask('/admin/decisions', far)).status).toBe(403);
    expect((await ask('/admin/endpoints', far)).status).toBe(403);
  });
});
