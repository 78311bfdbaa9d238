import { describe, expect, it } from '@jest/globals';
import { cleanup, json } from '#testing';
import { ObservedCoordinator, until } from './telemetry.fixture.ts';
import type { ObservedOptions } from './telemetry.fixture.ts';
import { EVENTS, stream } from './telemetry-cluster.fixture.ts';
import type { Phase } from './telemetry-cluster.fixture.ts';
import { aChat, aChatWithImages, send } from './telemetry-client.fixture.ts';
import type { ClientAnswer, ClientOptions } from './telemetry-client.fixture.ts';
import { sharedCluster } from './telemetry-shared.fixture.ts';

const PREFIX = 'llm_d_coordinator_';

const cluster = await sharedCluster();
const later = cleanup();

/** Serves one request on a coordinator of its own and says what a metric has then. */
async function after(options: ObservedOptions, request: ClientOptions) {
  const own = await ObservedCoordinator.start(cluster, options);
  later(() => own.close());
  const answer: ClientAnswer = await send(own.url, request);
  await own.idle();
  return { answer, own, metric: (name: string) => own.samples(PREFIX + name) };
}

/** The client leaves when the phase has been called so often. */
function leavingAt(phase: Phase, calls = 1): AbortSignal {
  const leaving = new AbortController();
  cluster.handlers[phase] = () => undefined;
  void until(() => cluster.calls(phase).length >= calls).then(() => {
    leaving.abort();
  });
  return leaving.signal;
}

describe('the metrics of a request', () => {
  it('hold the time to first token of a stream however its type is spelled', async () => {
    cluster.handlers.decode = (response) => {
      response.writeHead(200, { 'content-type': 'Text/Event-Stream' });
      response.end([...EVENTS, '[DONE]'].map((event) => `data: ${event}\n\n`).join(''));
    };
    const { metric } = await after({}, { body: aChat() });
    expect(await metric('stream_outcome_total')).toEqual({ 'outcome="completed"': 1 });
    expect(Object.keys(await metric('time_to_first_token_seconds_count'))).toHaveLength(1);
  });

  it('count the media of a request once, by kind, though two steps find them', async () => {
    const { metric } = await after({}, { body: aChatWithImages(2, `${cluster.url}/media/a.png`) });
    expect(await metric('media_items_count')).toEqual({ 'media_type="image"': 1 });
    expect(await metric('media_items_sum')).toEqual({ 'media_type="image"': 2 });
  });

  it('count the media that render alone finds', async () => {
    const { metric } = await after({ steps: ['render', 'encode', 'prefill', 'decode'] }, { body: aChatWithImages(2) });
    expect([await metric('media_items_count'), await metric('media_items_sum')]).toEqual([
      { 'media_type="image"': 1 },
      { 'media_type="image"': 2 },
    ]);
  });

  it('have the width of the fan-out once, and the time of each of its calls', async () => {
    const { metric } = await after({}, { body: aChatWithImages(3) });
    expect([await metric('encode_subrequests_count'), await metric('encode_subrequests_sum')]).toEqual([
      { '': 1 },
      { '': 3 },
    ]);
    expect(await metric('encode_subrequest_duration_seconds_count')).toEqual({ 'outcome="success"': 3 });
  });

  it.each([
    { name: 'an answer of 500', fail: () => 500, code: 'upstream_5xx' },
    { name: 'an answer of 429', fail: () => 429, code: 'upstream_4xx' },
  ])('tell an encode call that failed from those that it cancelled: $name', async ({ fail, code }) => {
    cluster.handlers.encode = async (response) => {
      // the others are on their way by now, and get no answer
      if (cluster.calls('encode').length === 3) json(response, { error: {} }, fail());
    };
    const { metric, own } = await after({}, { headers: { 'x-request-id': 'e' }, body: aChatWithImages(3) });
    expect(await metric('encode_subrequest_duration_seconds_count')).toEqual({
      'outcome="error"': 1,
      'outcome="cancelled"': 2,
    });
    expect(await metric('step_errors_total')).toEqual({ [`step="encode",error_code="${code}"`]: 1 });
    expect(await metric('upstream_rejections_total')).toMatchObject({
      [`upstream="encode",status="${fail() === 429 ? '429' : 'other_5xx'}"`]: 1,
    });
    expect(own.timeline('e')['calls']).toEqual(
      expect.arrayContaining([expect.objectContaining({ error: 'cancelled' })]),
    );
  });

  it('tell a download that failed from those that it cancelled', async () => {
    cluster.handlers.media = (response, { path }) => {
      if (cluster.calls('media').length === 2) response.writeHead(404).end();
      else expect(path).toMatch(/media/);
    };
    const urls = ['a', 'b'].map((name) => ({
      type: 'image_url',
      image_url: { url: `${cluster.url}/media/${name}.png` },
    }));
    const { metric } = await after({}, { body: aChat({ messages: [{ role: 'user', content: urls }] }) });
    expect(await metric('media_download_duration_seconds_count')).toEqual({
      'result="error"': 1,
      'result="cancelled"': 1,
    });
  });

  it('have the size and the time of a download', async () => {
    const { metric } = await after({}, { body: aChatWithImages(1, `${cluster.url}/media/a.png`) });
    expect(await metric('media_download_bytes_sum')).toEqual({ 'media_type="image"': 70 });
    expect(await metric('media_download_duration_seconds_count')).toEqual({ 'result="success"': 1 });
  });

  it.each<[what: string, phase: Phase, expected: object]>([
    ['a probe', 'probe', {}],
    ['a prefill', 'prefill', { 'result="deferred"': 1 }],
  ])('do not take a client that leaves during %s for a probe that failed', async (_what, phase, expected) => {
    const { metric } = await after({}, { body: aChat(), signal: leavingAt(phase) });
    expect(await metric('conditional_decode_probes_total')).toEqual(expected);
    expect(await metric('request_error_total')).toEqual({ 'model_name="m",error_code="client_closed"': 1 });
    expect(await metric('stream_outcome_total')).toEqual({});
  });

  it('have the encode calls of a client that left as cancelled', async () => {
    const { metric } = await after({}, { body: aChatWithImages(2), signal: leavingAt('encode', 2) });
    expect(await metric('encode_subrequest_duration_seconds_count')).toEqual({ 'outcome="cancelled"': 2 });
  });

  it.each([
    ['412', 412, 'deferred', {}],
    ['200', 200, 'served', {}],
    ['503', 503, 'error', { 'upstream="conditional-decode",status="503"': 1 }],
  ])('have a probe that answers %s as %i: %s', async (_name, status, result, rejections) => {
    cluster.handlers.probe = (response) => json(response, { choices: [] }, status);
    const { metric } = await after({}, { body: aChat() });
    expect(await metric('conditional_decode_probes_total')).toEqual({ [`result="${result}"`]: 1 });
    expect(await metric('conditional_decode_probe_duration_seconds_count')).toEqual({ [`result="${result}"`]: 1 });
    expect(await metric('upstream_rejections_total')).toEqual(rejections);
  });

  it('have a probe whose connection breaks as a transport error, and the request goes on', async () => {
    cluster.handlers.probe = (response) => void response.socket?.resetAndDestroy();
    const { answer, metric } = await after({ gateway: { retries: 0 } }, { body: aChat() });
    expect(answer.text).toContain('[DONE]');
    expect(await metric('conditional_decode_probes_total')).toEqual({ 'result="transport_error"': 1 });
  });

  it('have a prefill that failed and was done without as a path of its own', async () => {
    cluster.handlers.prefill = (response) => json(response, { error: {} }, 500);
    const steps = ['render', { type: 'prefill', params: { on_failure: 'decode' } }, 'decode'];
    const { metric, own } = await after({ steps }, { headers: { 'x-request-id': 'p' }, body: aChat() });
    expect(await metric('execution_path_total')).toEqual({ 'model_name="m",path="prefill-fallback"': 1 });
    expect(await metric('kv_handoff_total')).toEqual({});
    expect(own.timeline('p')).toMatchObject({ execution_path: 'prefill-fallback', outcome: 'completed' });
    expect(own.lines.at(-1)).toMatchObject({ execution_path: 'prefill-fallback' });
  });

  it('have the hand-over of a prefill, and how old it was when decode was called', async () => {
    const { metric } = await after({}, { body: aChat() });
    expect(await metric('kv_handoff_total')).toEqual({ 'connector="kv-nixl",result="complete"': 1 });
    expect(await metric('kv_handoff_age_seconds_count')).toEqual({ 'connector="kv-nixl"': 1 });
    expect(await metric('request_input_tokens_sum')).toEqual({ 'model_name="m"': 5 });
  });

  it('know tokens and the time between them from the usage of a stream', async () => {
    cluster.handlers.decode = (response) =>
      stream(response, [...EVENTS.slice(0, 4), '{"choices":[],"usage":{"completion_tokens":11}}', '[DONE]'], 10);
    const { metric } = await after({}, { body: aChat() });
    expect(await metric('output_tokens_sum')).toEqual({ 'model_name="m"': 11 });
    expect(await metric('cached_tokens_count')).toEqual({});
    const perToken = (await metric('time_per_output_token_seconds_sum'))['model_name="m"'] ?? 0;
    // one pause lies between the two events, and ten tokens
    expect(perToken).toBeGreaterThan(0.0008);
    expect(perToken).toBeLessThan(0.008);
  });

  it('observe no token where usage is not known, and take events for tokens between the first and the last', async () => {
    cluster.handlers.decode = (response) => stream(response, [...EVENTS.slice(0, 4), '[DONE]'], 10);
    const { metric } = await after({}, { body: aChat() });
    for (const name of ['output_tokens_count', 'cached_tokens_count']) expect(await metric(name)).toEqual({});
    expect((await metric('time_per_output_token_seconds_sum'))['model_name="m"']).toBeGreaterThan(0.008);
  });

  it('bear counts of tokens that are none', async () => {
    const usage = '{"choices":[],"usage":{"completion_tokens":1e400,"prompt_tokens_details":{"cached_tokens":-1}}}';
    cluster.handlers.decode = (response) => stream(response, [...EVENTS.slice(0, 4), usage, '[DONE]']);
    const { metric, own } = await after({}, { body: aChat() });
    for (const name of ['output_tokens_count', 'cached_tokens_count']) expect(await metric(name)).toEqual({});
    expect(own.lines.at(-1)).toMatchObject({ body: 'request finished', outcome: 'completed' });
  });

  it('have no time to a first token for what is no stream', async () => {
    const { metric } = await after({}, { body: aChat({ stream: false }) });
    expect(await metric('time_to_first_token_seconds_count')).toEqual({});
    expect(await metric('time_to_first_token_part_seconds_count')).toEqual({});
    expect(await metric('output_tokens_sum')).toEqual({ 'model_name="m"': 2 });
    expect(await metric('response_size_bytes_count')).toEqual({ 'stream="false"': 1 });
  });

  it('have none of a path that is passed through', async () => {
    const { own } = await after({}, { method: 'GET', path: '/v1/models' });
    const names = ['request_total', 'request_duration_seconds_count', 'upstream_request_total', 'step_running'];
    for (const name of names) expect(await own.total(PREFIX + name)).toBe(0);
  });

  it('leave nothing running behind', async () => {
    cluster.handlers.decode = (response) => void response.socket?.resetAndDestroy();
    const { metric } = await after({}, { body: aChatWithImages(2) });
    expect(Object.values(await metric('step_running'))).toEqual([0, 0, 0, 0, 0, 0]);
    expect(Object.values(await metric('request_running'))).toEqual([0, 0]);
  });
});
