import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ATTRIBUTES, SPANS } from '#telemetry';
import type { SpanSpec } from '#telemetry';
import { FakeUpstream, json } from '#testing';
import { startSimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import type { SimulatedCluster } from '../../apps/simulator/src/cluster.ts';
import { OtlpReceiver } from '../../apps/simulator/src/stack/otlp-receiver.ts';
import type { ReceivedSpan } from '../../apps/simulator/src/stack/otlp-trace.schema.ts';
import { RedisServer } from '../integration/redis.fixture.ts';
import { coordinatorConfig } from './support/coordinator-config.ts';
import { CoordinatorProcess } from './support/coordinator.process.ts';
import { freePort } from './support/free-port.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

jest.setTimeout(60_000);
const PROMPT = 'Explain why a server that answers token by token wants its prompts computed elsewhere. '.repeat(3);

describe('the spans of a built coordinator', () => {
  const folder = new TemporaryFolder();
  const spans: ReceivedSpan[] = [];
  let cluster: SimulatedCluster;
  let receiver: OtlpReceiver;
  let redis: RedisServer;

  beforeAll(async () => {
    cluster = await startSimulatedCluster();
    receiver = await OtlpReceiver.start((received) => spans.push(...received));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    redis = await RedisServer.start();
    const broker = { redis_url: redis.url };
    const file = folder.write('coordinator.yaml', coordinatorConfig(cluster, port, { broker }));
    const coordinator = new CoordinatorProcess(['--config', file], receiver.variables);
    cluster.coordinatorUrl = url;
    await coordinator.ready(url);
    await ask([{ type: 'text', text: PROMPT }, image('red.png'), image('blue.png')]);
    await ask(PROMPT);
    await ask([{ type: 'text', text: PROMPT }, image('nowhere.png')]);
    cluster.faults.set([{ phase: 'prefill', kind: 'status', status: 503 }]);
    await ask(`Another one. ${PROMPT}`);
    cluster.faults.clear();
    await (await fetch(`${url}/v1/models`)).text();
    await queueAndGiveUp(url);
    // the last spans leave before it ends
    await coordinator.stop();
    await runPair();
  });

  afterAll(async () => {
    await receiver.close();
    await redis.close();
    await cluster.close();
    folder.remove();
  });

  it('are those of the catalogue, with no attribute that it does not list', () => {
    const unlisted = spans.flatMap((span) => {
      const allowed: readonly string[] = specOf(span)?.attributes.map((key) => ATTRIBUTES[key]) ?? [];
      return Object.keys(span.attributes)
        .filter((name) => !allowed.includes(name))
        .map((name) => `${span.name}: ${name}`);
    });
    expect(spans.filter((span) => specOf(span) === undefined).map(({ name }) => name)).toEqual([]);
    expect(unlisted).toEqual([]);
  });

  it.each(SPANS)('have every attribute of "$name" somewhere', (spec) => {
    const found = spans.filter((span) => specOf(span) === spec);
    const names = new Set(found.flatMap(({ attributes }) => Object.keys(attributes)));
    const missing = spec.attributes.filter((key) => !names.has(ATTRIBUTES[key]));
    // what only a call has that was repeated or failed is not looked for in each of them
    expect(missing.filter((key) => key !== 'resend' && key !== 'errorType')).toEqual([]);
    expect(found).not.toEqual([]);
  });

  async function ask(content: unknown): Promise<void> {
    const answer = await fetch(`${cluster.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sim-model',
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 5,
        messages: [{ role: 'user', content }],
      }),
    });
    await answer.text();
  }

  /** Asked of the coordinator itself: the simulated gateway knows no queue. */
  async function queueAndGiveUp(url: string): Promise<void> {
    const headers = { 'x-llm-d-async-mode': 'enqueue', 'x-request-id': 'queued' };
    await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: '{"model":"m","messages":[]}' });
    for (const method of ['GET', 'DELETE']) await fetch(`${url}/v1/requests/queued`, { method });
  }

  /** Another pipeline, with a picker that reserves endpoints. */
  async function runPair(): Promise<void> {
    const gateway = await FakeUpstream.start(({ headers }, response) => {
      if (headers['prefer'] === undefined) json(response, '{}');
      else response.writeHead(204, { 'x-llm-d-reserved-host-port': '10.0.0.7:8000' }).end();
    });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const pipeline = { kv_connector: 'kv-sglang' };
    const config = coordinatorConfig({ gateway, render: cluster.render }, port, {
      steps: ['prefill-decode'],
      pipeline,
    });
    const coordinator = new CoordinatorProcess(['--config', folder.write('pair.yaml', config)], receiver.variables);
    await coordinator.ready(url);
    await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{"model":"m","messages":[]}' })).text();
    await coordinator.stop();
    await gateway.close();
  }

  function image(name: string): object {
    return { type: 'image_url', image_url: { url: `${cluster.media.url}/${name}` } };
  }
});

/** The entry of the catalogue that a span belongs to. */
function specOf(span: ReceivedSpan): SpanSpec | undefined {
  const isStep = span.attributes[ATTRIBUTES.phase] === undefined && span.name !== 'pipeline';
  return SPANS.find(({ name, kind }) => {
    if (kind === 'SERVER') return span.isServer;
    if (kind === 'CLIENT') return !isStep && !span.isServer && name === span.name;
    return !span.isServer && (name === 'pipeline' ? span.name === name : isStep);
  });
}
