import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SpanRecorder, only } from '../../libs/telemetry/src/spans.fixture.ts';
import type { RecordedSpan } from '../../libs/telemetry/src/spans.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';
import { EVENTS, sleep, stream } from './telemetry-cluster.fixture.ts';
import type { Phase } from './telemetry-cluster.fixture.ts';
import { aChat, aChatWithImages, send } from './telemetry-client.fixture.ts';
import type { ClientAnswer } from './telemetry-client.fixture.ts';
import { sharedCluster } from './telemetry-shared.fixture.ts';

const CLIENT_SPAN = 'b7ad6b7169203331';
const CALLS = ['media', 'render', 'conditional-decode', 'encode', 'encode', 'prefill', 'decode'];
const STEPS = ['replace-media-urls', 'render', 'conditional-decode', 'encode', 'prefill', 'decode'];

const cluster = await sharedCluster();
let coordinator: ObservedCoordinator;
let spans: SpanRecorder;

beforeEach(async () => {
  spans = new SpanRecorder();
  coordinator = await ObservedCoordinator.start(cluster, { spans });
});
afterEach(() => coordinator.close());

let traces = 0;
/** A trace that no other request is of. */
function aTraceId(): string {
  return (++traces).toString(16).padStart(32, 'a');
}

async function traced(traceId: string, body: object, path?: string): Promise<ClientAnswer> {
  const headers = { traceparent: `00-${traceId}-${CLIENT_SPAN}-01` };
  const answer = await send(coordinator.url, { headers, body, ...(path === undefined ? {} : { path }) });
  await coordinator.idle();
  return answer;
}

function namesOf(all: readonly RecordedSpan[], kind: RecordedSpan['kind']): string[] {
  return all.filter((span) => span.kind === kind).map(({ name }) => name);
}

/** Checks that the spans are a request's: the client's span, the server's, the pipeline, each step, each call. */
function expectTree(all: readonly RecordedSpan[], calls: readonly string[], steps: readonly string[]): void {
  const server = only(all, 'SERVER');
  const pipeline = only(all, 'INTERNAL', 'pipeline');
  expect([server.name, server.parentId]).toEqual(['POST /v1/chat/completions', CLIENT_SPAN]);
  expect(pipeline.parentId).toBe(server.spanId);
  expect(namesOf(all, 'CLIENT').toSorted()).toEqual(calls.toSorted());
  expect(namesOf(all, 'INTERNAL').toSorted()).toEqual(['pipeline', ...steps].toSorted());
  const stepIds = new Map(
    all.filter(({ parentId }) => parentId === pipeline.spanId).map(({ name, spanId }) => [name, spanId]),
  );
  expect([...stepIds.keys()].toSorted()).toEqual(steps.toSorted());
  for (const call of all.filter(({ kind }) => kind === 'CLIENT')) {
    const step = call.name === 'media' ? 'replace-media-urls' : call.name;
    expect([call.name, call.parentId]).toEqual([call.name, stepIds.get(step)]);
  }
}

describe('the trace of a request', () => {
  it('goes from the client over the server, the pipeline and each step to each call', async () => {
    const id = aTraceId();
    expect((await traced(id, aChatWithImages(2, `${cluster.url}/media/a.png`))).status).toBe(200);
    expectTree(spans.of(id), CALLS, STEPS);
    expect(spans.begun).toBe(spans.spans.length);
  });

  it('goes on upstream: each call carries the id of its own span', async () => {
    const id = aTraceId();
    await traced(id, aChatWithImages(2, `${cluster.url}/media/a.png`));
    const sent = cluster.calls().filter(({ path }) => !path.startsWith('/media/'));
    const expected = spans.of(id).filter(({ kind, name }) => kind === 'CLIENT' && name !== 'media');
    expect(sent.map(({ headers }) => headers['traceparent']).toSorted()).toEqual(
      expected.map(({ spanId }) => `00-${id}-${spanId}-01`).toSorted(),
    );
    expect(cluster.calls('media').map(({ headers }) => headers['traceparent'])).toEqual([undefined]);
  });

  it('is its own among fifty at once', async () => {
    for (const phase of ['render', 'encode', 'prefill'] satisfies Phase[]) {
      const answer = cluster.handlers[phase];
      cluster.handlers[phase] = async (response, request) => {
        await sleep(Math.random() * 20);
        await answer(response, request);
      };
    }
    const ids = Array.from({ length: 50 }, aTraceId);
    const answers = await Promise.all(
      ids.map((id) =>
        send(coordinator.url, {
          headers: { traceparent: `00-${id}-${CLIENT_SPAN}-01`, 'x-request-id': id },
          body: aChatWithImages(2, `${cluster.url}/media/${id}.png`),
        }),
      ),
    );
    await coordinator.idle();
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
    for (const id of ids) expectTree(spans.of(id), CALLS, STEPS);
    const calls = cluster.calls().filter(({ path }) => !path.startsWith('/media/'));
    expect(calls).toHaveLength(50 * 6);
    for (const { headers } of calls) expect(String(headers['traceparent']).split('-')[1]).toBe(headers['x-request-id']);
  });

  it('begins here without a client that has one', async () => {
    await send(coordinator.url, { headers: { traceparent: '00-zz-yy-01' }, body: aChat() });
    await coordinator.idle();
    const server = only(spans.spans, 'SERVER');
    expect(server.parentId).toBeUndefined();
    expect(new Set(spans.spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(cluster.calls('decode')[0]?.headers['traceparent']).toContain(server.traceId);
  });

  it('is not over before the last byte is', async () => {
    let finish: () => void = () => undefined;
    cluster.handlers.decode = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${EVENTS[1]}\n\n`);
      await new Promise<void>((resolve) => (finish = resolve));
      response.end('data: [DONE]\n\n');
    };
    const id = aTraceId();
    const open: string[][] = [];
    await send(coordinator.url, {
      headers: { traceparent: `00-${id}-${CLIENT_SPAN}-01` },
      body: aChat(),
      onData: (text) => {
        if (text.includes('[DONE]')) return;
        open.push(spans.of(id).map(({ name, kind }) => `${kind} ${name}`));
        finish();
      },
    });
    await coordinator.idle();
    const late = ['CLIENT decode', 'INTERNAL decode', 'INTERNAL pipeline', 'SERVER POST /v1/chat/completions'];
    expect(open[0]).toContain('INTERNAL prefill');
    for (const name of late) expect(open[0]).not.toContain(name);
    const ends = spans.spans.slice(-4).map(({ kind, name }) => `${kind} ${name}`);
    expect(ends.toSorted()).toEqual(late);
    expect(ends.at(-1)).toBe(late.at(-1));
  });

  it('lasts as long as the request does, and its first token is timed from the call', async () => {
    cluster.handlers.render = async (response) => {
      await sleep(200);
      response.end('{"token_ids":[1]}');
    };
    cluster.handlers.decode = (response) => stream(response, EVENTS, 20);
    const id = aTraceId();
    await traced(id, aChat());
    const server = only(spans.of(id), 'SERVER');
    const decode = only(spans.of(id), 'CLIENT', 'decode');
    const durations = await coordinator.samples('llm_d_coordinator_request_duration_seconds_sum');
    expect(server.endedAt - server.startedAt).toBeGreaterThan(300);
    expect(Math.abs((durations['model_name="m"'] ?? 0) * 1000 - (server.endedAt - server.startedAt))).toBeLessThan(50);
    expect(decode.endedAt - decode.startedAt).toBeGreaterThan(20 * EVENTS.length - 5);
    const first = Number(decode.attributes['gen_ai.response.time_to_first_chunk']) * 1000;
    expect(first).toBeGreaterThan(35);
    expect(first).toBeLessThan(decode.endedAt - decode.startedAt);
  });

  it('has no word of what was asked or answered', async () => {
    cluster.handlers.prefill = (response) => void response.writeHead(500).end('{"error":{"message":"SECRET-1"}}');
    const id = aTraceId();
    const headers = { traceparent: `00-${id}-${CLIENT_SPAN}-01`, authorization: 'Bearer SECRET-2' };
    const messages = [{ role: 'user', content: 'SECRET-3' }];
    await send(coordinator.url, { headers, path: '/v1/chat/completions?key=SECRET-4', body: aChat({ messages }) });
    await coordinator.idle();
    expect(spans.of(id).length).toBeGreaterThan(5);
    expect(JSON.stringify(spans.spans)).not.toContain('SECRET');
  });
});
