import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SpanRecorder, only } from '../../libs/telemetry/src/spans.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';
import { aChat, aChatWithImages, send } from './telemetry-client.fixture.ts';
import { sharedCluster } from './telemetry-shared.fixture.ts';

const cluster = await sharedCluster();
let coordinator: ObservedCoordinator;
let spans: SpanRecorder;

beforeEach(async () => {
  spans = new SpanRecorder();
  coordinator = await ObservedCoordinator.start(cluster, { spans });
});
afterEach(() => coordinator.close());

async function served(body: object): Promise<void> {
  await send(coordinator.url, { body });
  await coordinator.idle();
}

describe('the attributes of a span', () => {
  const { hostname } = new URL('http://127.0.0.1');
  const call = (phase: string, path: string): object => ({
    'llm_d.coordinator.phase': phase,
    'http.request.method': 'POST',
    'url.path': path,
    'server.address': hostname,
    'server.port': Number(new URL(cluster.url).port),
    'http.response.status_code': 200,
  });

  it('are those of telemetry.md, for each kind', async () => {
    await served(aChatWithImages(2, `${cluster.url}/media/a.png?sig=1`));
    const all = spans.spans;
    const path = '/v1/chat/completions';
    const genAi = { 'gen_ai.request.model': 'm', 'gen_ai.request.stream': true };
    expect(only(all, 'CLIENT', 'render').attributes).toEqual(call('render', `${path}/render`));
    expect(only(all, 'CLIENT', 'conditional-decode').attributes).toEqual({
      ...call('conditional-decode', path),
      ...genAi,
      'http.response.status_code': 412,
    });
    expect(
      all.filter(({ kind, name }) => kind === 'CLIENT' && name === 'encode').map(({ attributes }) => attributes),
    ).toEqual(
      [0, 1].map((index) => ({
        ...call('encode', path),
        'llm_d.coordinator.encode.index': index,
        'llm_d.coordinator.encode.width': 2,
      })),
    );
    expect(only(all, 'CLIENT', 'prefill').attributes).toEqual(call('prefill', path));
    expect(only(all, 'CLIENT', 'decode').attributes).toEqual({
      ...call('decode', path),
      ...genAi,
      'gen_ai.usage.input_tokens': 5,
      'gen_ai.usage.output_tokens': 2,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    });
    expect(only(all, 'INTERNAL', 'pipeline').attributes).toEqual({
      'gen_ai.request.model': 'm',
      'llm_d.coordinator.pipeline.step_count': 6,
      'llm_d.coordinator.pipeline.execution_path': 'encode-prefill-decode',
    });
    expect(only(all, 'SERVER').attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': path,
      'url.path': path,
      'http.response.status_code': 200,
      'llm_d.coordinator.outcome': 'completed',
    });
  });

  it('name the host of a download, its kind and its size, and not its query', async () => {
    await served(aChatWithImages(1, `${cluster.url}/media/a.png?sig=SIGNATURE`));
    expect(only(spans.spans, 'CLIENT', 'media').attributes).toMatchObject({
      'llm_d.coordinator.phase': 'media',
      'server.address': hostname,
      'server.port': Number(new URL(cluster.url).port),
      'url.path': '/media/a.png',
      'http.response.status_code': 200,
      'llm_d.coordinator.media.type': 'image',
      'llm_d.coordinator.media.index': 0,
      'llm_d.coordinator.media.bytes': 70,
    });
    expect(JSON.stringify(spans.spans)).not.toContain('SIGNATURE');
  });

  it('leave the model out where there is none', async () => {
    await served(aChat({ model: '' }));
    expect(only(spans.spans, 'INTERNAL', 'pipeline').attributes).not.toHaveProperty(['gen_ai.request.model']);
  });
});
