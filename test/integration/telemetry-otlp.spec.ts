import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { coordinatorConfig } from '../e2e/support/coordinator-config.ts';
import { CoordinatorProcess } from '../e2e/support/coordinator.process.ts';
import { freePort } from '../e2e/support/free-port.ts';
import { TemporaryFolder } from '../e2e/support/temporary-folder.ts';
import { OtlpReceiver } from './telemetry-otlp.fixture.ts';
import type { ExportedSpan } from './telemetry-otlp.fixture.ts';
import { EVENTS, ObservedCluster, sleep } from './telemetry-cluster.fixture.ts';
import { aChat, aChatWithImages, send } from './telemetry-client.fixture.ts';

const CLIENT_SPAN = 'b7ad6b7169203331';
const PATH = '/v1/chat/completions';
/** Spans of a request with two pictures, one of them to be downloaded: server, pipeline, six steps, seven calls. */
const WHOLE = 1 + 1 + 6 + 7;

/** The built coordinator in front of a cluster, exporting its spans as `OTEL_*` variables say. */
class TracedProcess {
  private constructor(
    private readonly folder: TemporaryFolder,
    private readonly child: CoordinatorProcess,
    readonly url: string,
    readonly metricsUrl: string,
  ) {}

  static async start(cluster: ObservedCluster, env: Readonly<Record<string, string>>): Promise<TracedProcess> {
    const folder = new TemporaryFolder();
    const [port, metrics] = [await freePort(), await freePort()];
    const address = { url: cluster.url };
    const changes = { log_level: 2, server: { metrics_port: metrics } };
    // of a cluster, its addresses are all that is read
    const upstreams = { gateway: address, render: address } as Parameters<typeof coordinatorConfig>[0];
    const config = { ...coordinatorConfig(upstreams, port, changes), tracing: true };
    const child = new CoordinatorProcess(['--config', folder.write('coordinator.yaml', config)], env);
    const url = `http://127.0.0.1:${port}`;
    await child.ready(url);
    return new TracedProcess(folder, child, url, `http://127.0.0.1:${metrics}/metrics`);
  }

  get output(): string {
    return this.child.output;
  }

  async stop(): Promise<void> {
    await this.child.stop();
    this.folder.remove();
  }
}

// a process starts within a second or two, and may take five to send its last spans
jest.setTimeout(30_000);

describe('the built coordinator, exporting over OTLP', () => {
  let cluster: ObservedCluster;
  let receiver: OtlpReceiver;
  let running: TracedProcess | undefined;

  beforeAll(async () => {
    cluster = await ObservedCluster.start();
    receiver = await OtlpReceiver.start();
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    cluster.reset();
    receiver.spans.length = 0;
  });
  afterAll(async () => {
    await cluster.close();
    await receiver.close();
  });

  async function started(env: Readonly<Record<string, string>> = {}): Promise<TracedProcess> {
    running = await TracedProcess.start(cluster, { ...receiver.environment, ...env });
    return running;
  }

  const idOf = (nth: number): string => nth.toString(16).padStart(32, 'c');
  const headersOf = (id: string): Record<string, string> => ({
    traceparent: `00-${id}-${CLIENT_SPAN}-01`,
    'x-request-id': id,
  });

  function expectTree(spans: readonly ExportedSpan[]): void {
    const names = new Map(spans.map(({ spanId, kind, name }) => [spanId, `${kind ?? ''} ${name}`]));
    const edges = spans.map(
      ({ spanId, parentSpanId = '' }) => `${names.get(parentSpanId) ?? parentSpanId} > ${names.get(spanId) ?? ''}`,
    );
    const step = (name: string, ...calls: readonly string[]): string[] => [
      `INTERNAL pipeline > INTERNAL ${name}`,
      ...calls.map((call) => `INTERNAL ${name} > CLIENT ${call}`),
    ];
    expect(edges.toSorted()).toEqual(
      [
        `${CLIENT_SPAN} > SERVER POST ${PATH}`,
        `SERVER POST ${PATH} > INTERNAL pipeline`,
        ...step('replace-media-urls', 'media'),
        ...step('render', 'render'),
        ...step('conditional-decode', 'conditional-decode'),
        ...step('encode', 'encode', 'encode'),
        ...step('prefill', 'prefill'),
        ...step('decode', 'decode'),
      ].toSorted(),
    );
  }

  it('has one trace of each of fifty requests at once, from the client to every call', async () => {
    const { url } = await started();
    const ids = Array.from({ length: 50 }, (_, index) => idOf(index));
    const answers = await Promise.all(
      ids.map((id) =>
        send(url, { headers: headersOf(id), body: aChatWithImages(2, `${cluster.url}/media/${id}.png`) }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
    for (const id of ids) {
      const spans = await receiver.trace(id, WHOLE);
      expectTree(spans);
      expect(spans.filter(({ isError }) => isError)).toEqual([]);
      const sent = cluster.calls().filter(({ headers }) => headers['x-request-id'] === id);
      const calls = spans.filter(({ kind, name }) => kind === 'CLIENT' && name !== 'media');
      expect(sent.map(({ headers }) => headers['traceparent']).toSorted()).toEqual(
        calls.map(({ spanId }) => `00-${id}-${spanId}-01`).toSorted(),
      );
    }
    expect(receiver.spans).toHaveLength(50 * WHOLE);
  });

  it('ends the server span with the last byte', async () => {
    const { url } = await started();
    cluster.handlers.decode = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${EVENTS[1]}\n\n`);
      await sleep(400);
      response.end('data: [DONE]\n\n');
    };
    await send(url, { headers: headersOf(idOf(60)), body: aChat() });
    const spans = await receiver.trace(idOf(60), WHOLE - 3);
    const durations = new Map(spans.map(({ kind, name, durationMs }) => [`${kind ?? ''} ${name}`, durationMs]));
    for (const name of [`SERVER POST ${PATH}`, 'INTERNAL pipeline', 'INTERNAL decode', 'CLIENT decode']) {
      expect(durations.get(name)).toBeGreaterThan(395);
    }
    expect(durations.get('CLIENT prefill')).toBeLessThan(395);
  });

  it('has an error in the span of a request whose worker was killed in mid-stream, and counts no success', async () => {
    const { url, metricsUrl } = await started();
    cluster.handlers.decode = async (response) => {
      await new Promise((resolve) =>
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write(`data: ${EVENTS[1]}\n\ndata: {`, resolve),
      );
      response.socket?.resetAndDestroy();
    };
    const answer = await send(url, { headers: headersOf(idOf(61)), body: aChat() });
    expect([answer.status, answer.isComplete, answer.text.includes('[DONE]')]).toEqual([200, false, false]);
    const spans = await receiver.trace(idOf(61), WHOLE - 3);
    const failed = spans.filter(({ isError }) => isError).map(({ kind, name }) => `${kind ?? ''} ${name}`);
    expect(failed.toSorted()).toEqual(['CLIENT decode', 'INTERNAL decode', 'INTERNAL pipeline', `SERVER POST ${PATH}`]);
    const text = await (await fetch(metricsUrl)).text();
    const outcomes = text.match(/^llm_d_coordinator_stream_outcome_total.* [^0]$/gm);
    expect(outcomes).toEqual(['llm_d_coordinator_stream_outcome_total{outcome="upstream_reset"} 1']);
    const exemplars = await (await fetch(metricsUrl, { headers: { accept: 'application/openmetrics-text' } })).text();
    expect(exemplars).toContain(`# {trace_id="${idOf(61)}"}`);
  });

  it('says who it is, as upstream does', async () => {
    const { url } = await started();
    await send(url, { headers: headersOf(idOf(62)), body: aChat() });
    await receiver.trace(idOf(62), 1);
    expect(receiver.resource).toMatchObject({
      'service.name': 'llm-d-coordinator',
      'service.version': expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  it('lets OTEL_* variables say who it is', async () => {
    const own = { OTEL_SERVICE_NAME: 'mine', OTEL_RESOURCE_ATTRIBUTES: 'service.version=7,team=a' };
    const { url } = await started(own);
    await send(url, { headers: headersOf(idOf(63)), body: aChat() });
    await receiver.trace(idOf(63), 1);
    expect(receiver.resource).toMatchObject({ 'service.name': 'mine', 'service.version': '7', team: 'a' });
  });

  it.each([
    ['an exporter', { OTEL_TRACES_EXPORTER: 'jaeger' }, 'OTEL_TRACES_EXPORTER'],
    ['a ratio', { OTEL_TRACES_SAMPLER_ARG: '7' }, 'OTEL_TRACES_SAMPLER_ARG'],
    ['a sampler', { OTEL_TRACES_SAMPLER: 'sometimes' }, 'OTEL_TRACES_SAMPLER'],
  ])('warns of %s that it does not know, and goes on with its default', async (_what, env, name) => {
    const { url, output } = await started(env);
    expect(output).toContain(`${name} is not known`);
    await send(url, { headers: headersOf(idOf(64)), body: aChat() });
    expect((await receiver.trace(idOf(64), WHOLE - 3)).length).toBe(WHOLE - 3);
  });

  it('sends the last spans before it ends', async () => {
    const own = await started({ OTEL_BSP_SCHEDULE_DELAY: '3600000' });
    await send(own.url, { headers: headersOf(idOf(65)), body: aChat() });
    expect(receiver.spans).toEqual([]);
    await own.stop();
    running = undefined;
    expect(receiver.spans.filter(({ traceId }) => traceId === idOf(65))).toHaveLength(WHOLE - 3);
  });

  it.each([{ OTEL_TRACES_EXPORTER: 'none' }, { OTEL_SDK_DISABLED: 'true' }])(
    'carries the trace context on as it is when there is no export: %j',
    async (env) => {
      const { url } = await started(env);
      const traceparent = `01-${idOf(66)}-${CLIENT_SPAN}-01-more`;
      await send(url, { headers: { traceparent }, body: aChat() });
      await send(url, { body: aChat() });
      const sent = cluster.calls().map(({ headers }) => headers['traceparent']);
      expect(sent).toEqual([...[1, 2, 3, 4].map(() => traceparent), ...[1, 2, 3, 4].map(() => undefined)]);
    },
  );

  it.each([
    ['nobody takes its spans', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }],
    ['the address of the collector is none', { OTEL_EXPORTER_OTLP_ENDPOINT: '::::' }],
    [
      'it should ask for what it cannot have',
      { OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    ],
  ])('serves on when %s', async (_what, env) => {
    const { url } = await started(env);
    for (const body of [aChat(), aChat()]) expect((await send(url, { body })).status).toBe(200);
  });
});
