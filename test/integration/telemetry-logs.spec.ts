import { afterEach, describe, expect, it } from '@jest/globals';
import { json } from '#testing';
import { SpanRecorder } from '../../libs/telemetry/src/spans.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';
import type { ObservedOptions } from './telemetry.fixture.ts';
import { sleep } from './telemetry-cluster.fixture.ts';
import { aChat, aChatWithImages, send } from './telemetry-client.fixture.ts';
import type { ClientOptions } from './telemetry-client.fixture.ts';
import { sharedCluster } from './telemetry-shared.fixture.ts';

const cluster = await sharedCluster();
let coordinator: ObservedCoordinator | undefined;

afterEach(() => coordinator?.close());

type Line = Readonly<Record<string, unknown>>;

/** Serves requests at once on a coordinator of its own and gives the lines that were logged. */
async function linesOf(options: ObservedOptions, ...requests: readonly ClientOptions[]): Promise<readonly Line[]> {
  const own = await ObservedCoordinator.start(cluster, options);
  coordinator = own;
  await Promise.all(requests.map((request) => send(own.url, request)));
  await own.idle();
  return own.lines;
}

const named = (id: string, body: unknown): ClientOptions => ({ headers: { 'x-request-id': id }, body });

describe('the log at the default level', () => {
  it('has two lines of a request, as telemetry.md has them', async () => {
    const lines = await linesOf({ spans: new SpanRecorder() }, named('a-1', aChatWithImages(2)));
    expect(lines).toEqual([
      expect.objectContaining({ body: 'request received', 'x-request-id': 'a-1', model: 'm', stream: true }),
      expect.objectContaining({
        ...{ body: 'request finished', 'x-request-id': 'a-1', route: 'chat_completions', model: 'm', status: 200 },
        ...{ outcome: 'completed', execution_path: 'encode-prefill-decode', output_tokens: 2, upstream_attempts: 6 },
        duration_ms: expect.any(Number),
        parts_ms: expect.objectContaining({ render: expect.any(Number), decode: expect.any(Number) }),
      }),
    ]);
    const [first, last] = lines;
    expect(first?.['trace_id']).toMatch(/^[0-9a-f]{32}$/);
    expect([first?.['trace_id'], first?.['span_id']]).toEqual([last?.['trace_id'], last?.['span_id']]);
  });

  it.each<[what: string, request: ClientOptions, lines: string[]]>([
    ['a bad request', { body: '{' }, ['request finished']],
    ['a request that a worker refuses', named('r', aChat({ seed: 429 })), ['request received', 'request finished']],
    ['a path that is passed through', { method: 'GET', path: '/v1/models' }, []],
    ['a probe', { method: 'GET', path: '/readyz' }, []],
  ])('has of %s no more', async (_what, request, expected) => {
    cluster.handlers.prefill = (response) => json(response, { error: {} }, 429);
    expect((await linesOf({}, request)).map(({ body }) => body)).toEqual(expected);
  });

  it('has two lines of each of fifty requests at once', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `many-${index}`);
    const lines = await linesOf({}, ...ids.map((id) => named(id, aChat())));
    const found = lines.map((line) => `${String(line['x-request-id'])} ${String(line['body'])}`);
    expect(found.toSorted()).toEqual(
      ids.flatMap((id) => [`${id} request finished`, `${id} request received`]).toSorted(),
    );
  });
});

describe('the log at level 4', () => {
  it('has the id of its request on every line from inside a step or a call, among fifty at once', async () => {
    cluster.handlers.render = async (response, { headers }) => {
      await sleep(Math.random() * 20);
      const id = String(headers['x-request-id']);
      json(response, { token_ids: Array.from({ length: Number(id.split('-')[1]) + 1 }, () => 1) });
    };
    const ids = Array.from({ length: 50 }, (_, index) => `deep-${index}`);
    const lines = await linesOf({ logLevel: 4, spans: new SpanRecorder() }, ...ids.map((id) => named(id, aChat())));
    const inside = lines.filter(({ logger }) => logger === 'pipeline' || logger === 'gateway');
    for (const id of ids) {
      const own = inside.filter((line) => line['x-request-id'] === id);
      const steps = own.filter(({ body }) => body === 'step complete').map(({ step }) => step);
      expect(steps).toEqual(['replace-media-urls', 'render', 'conditional-decode', 'encode', 'prefill', 'decode']);
      const answered = own
        .filter(({ body }) => body === 'call answered')
        .map(({ upstream, status }) => [upstream, status]);
      expect(answered).toEqual([
        ['render', 200],
        ['conditional-decode', 412],
        ['prefill', 200],
        ['decode', 200],
      ]);
      expect(new Set(own.map((line) => line['trace_id'])).size).toBe(1);
      expect(own[0]?.['trace_id']).toBe(coordinator?.timeline(id)['trace_id']);
    }
    expect(inside.filter((line) => line['x-request-id'] === undefined)).toEqual([]);
  });

  it('has the shape of an error of an upstream', async () => {
    cluster.handlers.prefill = (response) => json(response, { error: { message: 'bad image', code: 400 } }, 400);
    const lines = await linesOf({ logLevel: 4 }, named('e', aChat()));
    expect(lines.filter(({ body, upstream }) => body === 'upstream error' && upstream === 'prefill')).toEqual([
      expect.objectContaining({
        ...{ step: 'prefill', status: 400, severity_text: 'DEBUG', 'x-request-id': 'e' },
        upstream_body: { error: { message: '[9 characters]', code: 400 } },
      }),
    ]);
  });

  it('does not tell a probe that missed for an error', async () => {
    const lines = await linesOf({ logLevel: 4 }, named('p', aChat()));
    expect(lines.filter(({ body }) => body === 'upstream error')).toEqual([]);
  });
});

describe('the log at every level', () => {
  const SECRETS = {
    prompt: 'SECRET-PROMPT',
    key: 'SECRET-KEY',
    query: 'SECRET-QUERY',
    media: 'SECRET-MEDIA',
    worker: 'SECRET-WORKER',
  };

  it.each([1, 2, 3, 4, 5])('has no content: level %i', async (logLevel) => {
    const body = JSON.stringify({ error: { message: SECRETS.worker }, token_ids: [151_643] });
    for (const phase of ['decode', 'prefill'] as const) {
      cluster.handlers[phase] = (response) => void response.writeHead(500, { 'x-secret': SECRETS.worker }).end(body);
    }
    const steps = ['replace-media-urls', 'render', { type: 'prefill', params: { on_failure: 'decode' } }, 'decode'];
    const images = [
      { type: 'image_url', image_url: { url: `${cluster.url}/media/${SECRETS.media}.png?sig=${SECRETS.query}` } },
    ];
    const content = [{ type: 'text', text: SECRETS.prompt }, ...images];
    const lines = await linesOf(
      { logLevel, steps },
      {
        headers: { authorization: `Bearer ${SECRETS.key}`, 'x-request-id': `not valid ${SECRETS.key}` },
        path: `/v1/chat/completions?key=${SECRETS.query}`,
        body: aChat({ messages: [{ role: 'user', content }], kv_transfer_params: { x: SECRETS.worker } }),
      },
      { path: `/v1/embeddings?key=${SECRETS.query}`, body: { input: SECRETS.prompt } },
      { body: `{"messages":"${SECRETS.prompt}` },
    );
    const text = JSON.stringify(lines);
    expect(lines.length > 0).toBe(logLevel > 1);
    expect(text).not.toContain('SECRET');
    expect(text).not.toContain('151643');
  });
});
