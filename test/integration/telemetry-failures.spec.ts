import { describe, expect, it } from '@jest/globals';
import { cleanup, json } from '#testing';
import { SpanRecorder } from '../../libs/telemetry/src/spans.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';
import type { ObservedOptions } from './telemetry.fixture.ts';
import { EVENTS, sleep } from './telemetry-cluster.fixture.ts';
import type { PhaseHandler } from './telemetry-cluster.fixture.ts';
import { aChat, aChatWithImages, send } from './telemetry-client.fixture.ts';
import type { ClientOptions } from './telemetry-client.fixture.ts';
import { ID, servedOne } from './telemetry-served.fixture.ts';
import { sharedCluster } from './telemetry-shared.fixture.ts';

const PREFIX = 'llm_d_coordinator_';

const cluster = await sharedCluster();
const later = cleanup();

async function after(options: ObservedOptions, request: ClientOptions) {
  const served = await servedOne(cluster, options, request);
  later(() => served.own.close());
  return served;
}

/** A stream whose worker dies after two events. */
const dying: PhaseHandler = async (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of EVENTS.slice(0, 2)) response.write(`data: ${event}\n\n`);
  await new Promise((resolve) => response.write('data: {"choices"', resolve));
  await sleep(20);
  response.socket?.resetAndDestroy();
};

describe('a request that fails', () => {
  it('is an error from the call to the server when its worker dies in mid-stream, and no success anywhere', async () => {
    cluster.handlers.decode = dying;
    const { answer, failed, server, metric, own } = await after({}, { body: aChat() });
    expect([answer.status, answer.isComplete]).toEqual([200, false]);
    expect(failed).toEqual([
      'CLIENT decode',
      'INTERNAL decode',
      'INTERNAL pipeline',
      'SERVER POST /v1/chat/completions',
    ]);
    expect(server?.attributes).toMatchObject({
      'http.response.status_code': 200,
      'llm_d.coordinator.outcome': 'upstream_reset',
      'error.type': 'upstream_unreachable',
    });
    expect(await metric('stream_outcome_total')).toEqual({ 'outcome="upstream_reset"': 1 });
    expect(await metric('request_error_total')).toEqual({ 'model_name="m",error_code="upstream_transport"': 1 });
    expect(await metric('step_errors_total')).toEqual({ 'step="decode",error_code="upstream_transport"': 1 });
    const durations = await own.samples('gen_ai_server_request_duration_seconds_count');
    expect(Object.keys(durations)).toEqual([expect.stringContaining('error_type="upstream_transport"')]);
    expect(own.timeline(ID)).toMatchObject({
      outcome: 'upstream_reset',
      status: 200,
      error_code: 'upstream_unreachable',
    });
    expect(own.lines.at(-1)).toMatchObject({ body: 'request finished', outcome: 'upstream_reset' });
  });

  it('is an error whatever status had been sent: after a heartbeat', async () => {
    cluster.handlers.prefill = async (response) => {
      await sleep(150);
      json(response, { error: {} }, 500);
    };
    const { answer, server, failed, metric } = await after({ server: { sse_heartbeat: '20ms' } }, { body: aChat() });
    expect([answer.status, answer.text.includes('"error"')]).toEqual([200, true]);
    expect(server).toMatchObject({ isError: true, attributes: { 'http.response.status_code': 200 } });
    expect(failed).toEqual([
      'CLIENT prefill',
      'INTERNAL pipeline',
      'INTERNAL prefill',
      'SERVER POST /v1/chat/completions',
    ]);
    expect(await metric('request_error_total')).toEqual({ 'model_name="m",error_code="upstream_5xx"': 1 });
  });

  it('is an error when the worker says so in its stream, though it ends in order', async () => {
    cluster.handlers.decode = (response) => {
      const events = [EVENTS[1], '{"error":{"message":"out of memory","code":500}}', '[DONE]'];
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(events.map((event) => `data: ${event}\n\n`).join(''));
    };
    const { server, metric } = await after({}, { body: aChat() });
    expect(server).toMatchObject({ isError: true, attributes: { 'llm_d.coordinator.outcome': 'incomplete' } });
    expect(await metric('stream_outcome_total')).toEqual({ 'outcome="incomplete"': 1 });
  });

  it.each([400, 404, 429, 500, 503])('is an error when decode answers %i, which is relayed', async (status) => {
    cluster.handlers.decode = (response) => json(response, { error: {} }, status);
    const { answer, server, failed } = await after({}, { body: aChat() });
    expect(answer.status).toBe(status);
    expect(server?.attributes).toMatchObject({
      'http.response.status_code': status,
      'llm_d.coordinator.outcome': 'failed',
    });
    expect(failed).toEqual([
      'CLIENT decode',
      'INTERNAL decode',
      'INTERNAL pipeline',
      'SERVER POST /v1/chat/completions',
    ]);
  });

  it('is an error without a pipeline when it is no request at all', async () => {
    const { spans, server } = await after({}, { body: '{' });
    expect(spans.spans).toHaveLength(1);
    expect(server).toMatchObject({
      isError: true,
      attributes: { 'http.response.status_code': 400, 'error.type': 'invalid_body' },
    });
  });

  it('is an error of the call that failed, not of those that it cancelled', async () => {
    cluster.handlers.encode = (response) => {
      if (cluster.calls('encode').length === 2) json(response, { error: {} }, 500);
    };
    const { named } = await after({}, { body: aChatWithImages(2) });
    const types = named('CLIENT', 'encode').map(({ attributes }) => attributes['error.type']);
    expect(types.toSorted()).toEqual(['500', 'cancelled']);
  });

  it('names why a download failed', async () => {
    cluster.handlers.media = (response) => void response.writeHead(404).end();
    const { named, answer } = await after({}, { body: aChatWithImages(1, `${cluster.url}/media/a.png`) });
    expect(answer.status).toBe(400);
    expect(named('CLIENT', 'media')).toMatchObject([{ isError: true, attributes: { 'error.type': 'status' } }]);
  });
});

describe('a request that does not fail', () => {
  it('has no error in any span, a probe that missed included', async () => {
    const { failed, named } = await after({}, { body: aChatWithImages(2, `${cluster.url}/media/a.png`) });
    expect(failed).toEqual([]);
    expect(named('CLIENT', 'conditional-decode')).toMatchObject([{ attributes: { 'http.response.status_code': 412 } }]);
  });

  it('has none when the rest of what the probe answered is given up', async () => {
    cluster.handlers.probe = (response) => void response.writeHead(412).write('x'.repeat(200_000));
    const { failed, own } = await after({}, { body: aChat() });
    expect(failed).toEqual([]);
    expect(own.timeline(ID)['calls']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ upstream: 'conditional-decode', status: 412, error: undefined }),
      ]),
    );
  });

  it('has the try that failed as an error, and the number of the one that did not', async () => {
    const spans = new SpanRecorder();
    const own = await ObservedCoordinator.start(cluster, { spans, steps: ['decode'] });
    later(() => own.close());
    await send(own.url, { body: aChat() });
    await own.idle();
    spans.spans.length = 0;
    // the second call comes on the connection of the first, and breaks it
    cluster.handlers.decode = (response) => {
      cluster.handlers.decode = (again) => json(again, { choices: [] });
      response.socket?.resetAndDestroy();
    };
    const answer = await send(own.url, { headers: { 'x-request-id': ID }, body: aChat() });
    await own.idle();
    const tries = spans.spans.filter(({ kind }) => kind === 'CLIENT');
    expect(answer.status).toBe(200);
    expect(tries).toMatchObject([
      { name: 'decode', isError: true, attributes: { 'error.type': 'upstream_transport' } },
      {
        name: 'decode',
        isError: false,
        attributes: { 'http.request.resend_count': 1, 'http.response.status_code': 200 },
      },
    ]);
    expect(tries[0]?.attributes).not.toHaveProperty(['http.request.resend_count']);
    expect(new Set(tries.map(({ parentId }) => parentId)).size).toBe(1);
    const sent = cluster
      .calls('decode')
      .slice(-2)
      .map(({ headers }) => headers['traceparent']);
    expect(sent).toEqual(tries.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
    expect(await own.samples(`${PREFIX}upstream_retries_total`)).toEqual({ 'upstream="decode",reason="reset"': 1 });
    expect(own.timeline(ID)).toMatchObject({ outcome: 'completed', upstream_attempts: 2 });
  });
});
