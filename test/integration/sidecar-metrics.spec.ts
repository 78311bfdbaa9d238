import { describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import { SIDECAR_METRICS, SidecarMetrics } from '#telemetry/sidecar';
import { metricsPage } from '../../apps/sidecar/src/metrics.companion.ts';
import { JsonLogger } from '#telemetry';
import { SpanRecorder } from '../../libs/telemetry/src/spans.fixture.ts';
import { openMetricsFaults } from '../../libs/telemetry/src/open-metrics.fixture.ts';
import { driveEverything } from './busy-sidecar.fixture.ts';
import { SECRET, WatchedSidecar, aChat } from './watched-sidecar.fixture.ts';

const later = cleanup();
const SILENT = new JsonLogger(1, 'test', { write: () => undefined });

/** A sidecar with its page of metrics. */
async function scraped(
  metrics: SidecarMetrics,
  spans?: SpanRecorder,
): Promise<{ sidecar: WatchedSidecar; page: string }> {
  let page = '';
  const companion = metricsPage(metrics, SILENT, (url) => {
    page = `${url}/metrics`;
  });
  const sidecar = await WatchedSidecar.start({
    metrics,
    spans,
    options: { metricsAddress: { host: '127.0.0.1', port: 0 } },
    surroundings: { companions: [companion] },
  });
  later(() => sidecar.close());
  return { sidecar, page };
}

const read = async (url: string, accept = 'text/plain'): Promise<string> =>
  (await fetch(url, { headers: { accept } })).text();

describe('the page of metrics', () => {
  it('has all of the catalogue, and every one of it has counted something', async () => {
    const metrics = new SidecarMetrics();
    await driveEverything({ metrics });
    const { sidecar, page } = await scraped(metrics);
    const answer = await fetch(`${sidecar.url}/v1/completions`, { method: 'POST', body: '{}' });
    await answer.text();
    metrics.on.info.set(['c', 'v'], 1);
    for (const event of ['reresolve', 'ip_changed', 'lookup_failure'] as const)
      sidecar.telemetry.onResolverEvent(event);
    metrics.on.requestsRunning.add([], 1);
    const text = await read(page);
    const silent = Object.values(SIDECAR_METRICS).filter(({ name, type }) => {
      const sample = new RegExp(`^${name}${type === 'histogram' ? '_count' : ''}(?:\\{.*\\})? (\\S+)$`, 'gm');
      return [...text.matchAll(sample)].every(([, value]) => Number(value) === 0);
    });
    expect(silent).toEqual([]);
    const own = text.matchAll(/^# TYPE ((?:llm_d|moriio)_\S+) (\S+)$/gm);
    const listed = Object.values(SIDECAR_METRICS).map(({ name, type }) => `${name} ${type}`);
    expect([...own].map(([, name = '', type = '']) => `${name} ${type}`).toSorted()).toEqual(listed.toSorted());
  });

  it('is valid OpenMetrics where that is asked for', async () => {
    const metrics = new SidecarMetrics();
    const { sidecar, page } = await scraped(metrics);
    await sidecar.send({ body: aChat() });
    expect(openMetricsFaults(await read(page, 'application/openmetrics-text; version=1.0.0'))).toEqual([]);
  });

  it('has the trace of a sampled request beside its bucket', async () => {
    const { sidecar, page } = await scraped(new SidecarMetrics(), new SpanRecorder());
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await sidecar.send({ body: aChat({ stream: true }), headers: { ...sidecar.named('prefill'), traceparent } });
    const text = await read(page, 'application/openmetrics-text; version=1.0.0');
    for (const name of ['prefill', 'decode', 'request']) {
      const bucket = `^llm_d_disagg_sidecar_${name}_duration_seconds_bucket\\{.*\\} 1 # \\{trace_id="a{32}"\\}`;
      expect(text).toMatch(new RegExp(bucket, 'm'));
    }
  });

  it('is that of the engine on the serving port', async () => {
    const { sidecar } = await scraped(new SidecarMetrics());
    const { text } = await sidecar.send({ path: '/metrics' });
    expect([text.includes('llm_d_disagg_sidecar'), sidecar.workers.engine.requests[0]?.path]).toEqual([
      false,
      '/metrics',
    ]);
  });

  it('has no more series for what clients make up', async () => {
    const metrics = new SidecarMetrics();
    const { sidecar, page } = await scraped(metrics);
    const ask = async (index: number): Promise<void> => {
      const headers = { 'x-llm-d-inference-fairness-id': `f-${index}`, 'x-request-id': `r-${index}` };
      await sidecar.send({ path: `/junk/${index}`, headers });
      await sidecar.send({ body: aChat({ model: `junk-${index}` }), headers });
      await sidecar.send({ body: aChat(), headers: { 'x-prefiller-host-port': `a/${index}` } });
    };
    await ask(0);
    const series = async (): Promise<number> =>
      (await read(page)).split('\n').filter((line) => line.startsWith('llm_d')).length;
    const before = await series();
    for (let index = 1; index <= 30; index++) await ask(index);
    expect(await series()).toBe(before);
  });

  it('holds no content', async () => {
    const metrics = new SidecarMetrics();
    await driveEverything({ metrics });
    const { page } = await scraped(metrics);
    expect(await read(page)).not.toContain(SECRET);
  });
});

describe('the log of a sidecar', () => {
  it('has one line for a request, with what became of it and nothing of what is in it', async () => {
    const sidecar = await WatchedSidecar.start();
    later(() => sidecar.close());
    const headers = { ...sidecar.named('prefill'), 'x-request-id': 'r-1', authorization: `Bearer ${SECRET}` };
    const { text } = await sidecar.send({ body: aChat({ stream: true }), headers });
    const lines = sidecar.lines.filter(({ body }) => body === 'request finished');
    expect(lines).toEqual([
      expect.objectContaining({
        'x-request-id': 'r-1',
        path: '/v1/chat/completions',
        api_type: 'chat_completions',
        rank: 0,
        disagg_type: 'prefill-decode',
        prefill_target: new URL(sidecar.workers.prefill.url).host,
        stream: false,
        status: 200,
        outcome: 'completed',
        bytes: text.length,
        stages_ms: { prefill: expect.any(Number), decode: expect.any(Number) },
      }),
    ]);
    expect(JSON.stringify(sidecar.lines)).not.toContain(SECRET);
  });

  it('has a line of debugging alone for what is passed through', async () => {
    const sidecar = await WatchedSidecar.start();
    later(() => sidecar.close());
    await sidecar.send({ path: '/v1/models' });
    const told = sidecar.lines.filter(({ body }) => body === 'request passed through');
    expect(told).toMatchObject([{ path: '/v1/models', status: 200, outcome: 'completed', severity_text: 'DEBUG' }]);
    expect(sidecar.lines.some(({ body }) => body === 'request finished')).toBe(false);
  });

  it('has the code of an error of ours', async () => {
    const sidecar = await WatchedSidecar.start();
    later(() => sidecar.close());
    await fetch(`${sidecar.url}/v1/completions`, { method: 'POST', body: '[]', headers: sidecar.named('prefill') });
    await sidecar.idle();
    const [line] = sidecar.lines.filter(({ body }) => body === 'request finished');
    expect(line).toMatchObject({ status: 400, error_code: 'invalid_body' });
  });
});
