import { describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import { ObservedCoordinator, until } from './telemetry.fixture.ts';
import { EVENTS } from './telemetry-cluster.fixture.ts';
import type { PhaseHandler } from './telemetry-cluster.fixture.ts';
import { aChat, send } from './telemetry-client.fixture.ts';
import type { ClientOptions } from './telemetry-client.fixture.ts';
import { ID, servedOne } from './telemetry-served.fixture.ts';
import { sharedCluster } from './telemetry-shared.fixture.ts';

const LEGS = ['reserve', 'prefill', 'decode'] as const;
const EVENT = `data: ${EVENTS[1]}\n\n`;
const PAIR = { steps: ['prefill-decode'], pipeline: { kv_connector: 'kv-sglang' } };

const cluster = await sharedCluster();
const later = cleanup();

async function served(request: ClientOptions = { body: aChat() }, options: object = {}) {
  const one = await servedOne(cluster, { ...PAIR, ...options }, request);
  later(() => one.own.close());
  return one;
}

/** The legs that a request was sent to. */
const called = (): readonly string[] => LEGS.filter((leg) => cluster.calls(leg).length > 0);

const warnings = ({ own }: { readonly own: ObservedCoordinator }): unknown[] =>
  own.lines.filter(({ severity_text }) => severity_text !== 'INFO' && severity_text !== 'DEBUG');

/** One event, and no end. */
const endless: PhaseHandler = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(EVENT);
};

/** Answers prefill so when the client has the first event. */
function whenStreaming(): { onData: () => void; prefill: (answer: PhaseHandler) => void } {
  const isStreaming = Promise.withResolvers<undefined>();
  return {
    onData: () => {
      isStreaming.resolve(undefined);
    },
    prefill: (answer) => {
      cluster.handlers.prefill = async (response, request) => {
        await isStreaming.promise;
        await answer(response, request);
      };
    },
  };
}

describe('a request of prefill-decode, from its client to the workers', () => {
  it("is answered by decode's stream, byte for byte", async () => {
    const { answer } = await served();
    expect(answer).toMatchObject({ status: 200, isComplete: true });
    expect(answer.text).toBe(EVENTS.map((event) => `data: ${event}\n\n`).join(''));
    expect(called()).toEqual([...LEGS]);
  });

  it("leaves the client's routing headers behind on every call, and keeps its authorization", async () => {
    const headers = {
      authorization: 'Bearer k',
      prefer: 'reserve-endpoint',
      'X-LLM-D-Pin-Host-Port': '10.6.6.6:1',
      'x-llm-d-reserved-host-port': '10.6.6.6:1',
      'x-data-parallel-rank': '3',
    };
    await served({ headers, body: aChat() });
    const pins = LEGS.map((leg) => cluster.calls(leg)[0]?.headers['x-llm-d-pin-host-port']);
    expect(pins).toEqual([undefined, '10.0.0.7:8000', undefined]);
    for (const { headers: sent } of cluster.calls()) {
      expect(sent).toMatchObject({ authorization: 'Bearer k' });
      expect(sent).not.toHaveProperty('x-data-parallel-rank');
    }
    expect(cluster.calls('decode')[0]?.headers).not.toHaveProperty('prefer');
  });

  it.each(['/v1/messages', '/v1/embeddings', '/tokenize'])(
    'is none for %s, which goes to decode as it is, without a pin of the client',
    async (path) => {
      const headers = { 'x-llm-d-pin-host-port': '10.6.6.6:1', prefer: 'reserve-endpoint' };
      const { answer } = await served({ path, headers, body: { a: 1 } });
      expect(answer.status).toBe(200);
      const [call] = cluster.calls('passthrough');
      expect(call?.headers).toMatchObject({ 'epp-profile': 'decode' });
      expect(call?.headers).not.toHaveProperty('x-llm-d-pin-host-port');
      expect(call?.headers).not.toHaveProperty('prefer');
    },
  );

  it.each(['/v1/chat/completions', '/v1/models'])(
    'tells the client of %s no endpoint, whatever the upstream says of one',
    async (path) => {
      const endpoint = { 'x-llm-d-reserved-host-port': '10.0.0.7:8000', 'x-of': 'the worker' };
      cluster.handlers.decode = cluster.handlers.passthrough = (response) =>
        void response.writeHead(200, endpoint).end('{}');
      const { answer } = await served({ path, body: { ...aChat({ stream: false }) } });
      expect(answer.headers).toMatchObject({ 'x-of': 'the worker' });
      expect(answer.headers).not.toHaveProperty('x-llm-d-reserved-host-port');
    },
  );
});

describe('a reservation that fails', () => {
  it.each([
    [412, 412, 'prefill-decode rejected the request: HTTP 412'],
    [503, 503, 'prefill-decode failed: HTTP 503'],
    [500, 502, 'prefill-decode failed: HTTP 500'],
    [200, 502, 'the plugin reserve-endpoint?'],
    [204, 502, 'the plugin reserve-endpoint?'],
  ])('with %d is answered %d in a stream too, and no worker is called', async (status, seen, words) => {
    cluster.handlers.reserve = (response) => void response.writeHead(status, { 'retry-after': '7' }).end();
    const { answer, failed, own } = await served();
    expect(answer).toMatchObject({ status: seen, isComplete: true });
    expect(answer.text).toContain(words);
    expect(answer.headers['retry-after']).toBe(status >= 400 ? '7' : undefined);
    expect(called()).toEqual(['reserve']);
    expect(failed).toEqual(expect.arrayContaining(['INTERNAL prefill-decode']));
    expect(own.timeline(ID)).toMatchObject({ status: seen });
  });
});

describe('prefill that fails', () => {
  it('before decode answers is the answer', async () => {
    cluster.handlers.decode = () => undefined;
    cluster.handlers.prefill = (response) => void response.writeHead(503, { 'retry-after': '7' }).end('secret');
    const { answer, metric } = await served();
    expect([answer.status, answer.headers['retry-after'], answer.isComplete]).toEqual([503, '7', true]);
    expect(answer.text).toContain('prefill failed: HTTP 503');
    expect(answer.text).not.toContain('secret');
    expect(await cluster.calls('decode')[0]?.aborted).toBe(true);
    expect(await metric('step_errors_total')).toEqual({ 'step="prefill-decode",error_code="upstream_5xx"': 1 });
  });

  it.each([503, 429])('with %d while decode streams breaks the connection, and is logged once', async (status) => {
    const { onData, prefill } = whenStreaming();
    cluster.handlers.decode = endless;
    prefill((response) => void response.writeHead(status).end());
    const one = await served({ body: aChat(), onData });
    expect(one.answer).toMatchObject({ status: 200, isComplete: false });
    expect(one.answer.text).toMatch(/^data: .*\n\ndata: \{"error":\{"message":"prefill .*\}\}\n\n$/);
    expect(one.answer.text).not.toContain('[DONE]');
    expect(await cluster.calls('decode')[0]?.aborted).toBe(true);
    expect(await one.metric('stream_outcome_total')).toEqual({ 'outcome="upstream_reset"': 1 });
    expect(one.failed).toEqual(expect.arrayContaining(['INTERNAL prefill-decode', 'SERVER POST /v1/chat/completions']));
    expect(warnings(one)).toHaveLength(1);
  });

  it('inside a formally good answer breaks the connection, too', async () => {
    const { onData, prefill } = whenStreaming();
    cluster.handlers.decode = endless;
    prefill((response) => void response.end('{"error":{"message":"secret"}}'));
    const one = await served({ body: aChat(), onData });
    expect(one.answer.isComplete).toBe(false);
    expect(one.answer.text).toContain('prefill answered 200 with an error in it');
    expect(JSON.stringify(one.own.lines)).not.toContain('secret');
  });

  it('in the middle of an event cuts the connection, and adds nothing', async () => {
    const { onData, prefill } = whenStreaming();
    cluster.handlers.decode = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"half');
    };
    prefill((response) => void response.writeHead(503).end());
    const { answer } = await served({ body: aChat(), onData });
    expect(answer).toMatchObject({ status: 200, text: 'data: {"half', isComplete: false });
  });

  it('after decode has ended is logged only', async () => {
    const go = Promise.withResolvers<undefined>();
    cluster.handlers.prefill = async (response) => {
      await go.promise;
      response.writeHead(503).end();
    };
    const own = await ObservedCoordinator.start(cluster, PAIR);
    later(() => own.close());
    const answer = await send(own.url, { headers: { 'x-request-id': ID }, body: aChat() });
    await own.idle();
    go.resolve(undefined);
    await until(() => warnings({ own }).length > 0);
    expect(answer).toMatchObject({ status: 200, isComplete: true });
    expect(warnings({ own })).toEqual([
      expect.objectContaining({ body: 'prefill failed after decode had ended', status: 503, 'x-request-id': ID }),
    ]);
    expect(own.timeline(ID)).toMatchObject({ outcome: 'completed' });
    expect(await own.samples('llm_d_coordinator_step_errors_total')).toEqual({});
  });
});

describe('decode that is refused', () => {
  it('is relayed as it is, and prefill is called off', async () => {
    cluster.handlers.prefill = () => undefined;
    cluster.handlers.decode = (response) => void response.writeHead(429, { 'retry-after': '7' }).end('{"of":"decode"}');
    const { answer, failed } = await served();
    expect(answer).toMatchObject({ status: 429, text: '{"of":"decode"}' });
    expect(answer.headers['retry-after']).toBe('7');
    expect(await cluster.calls('prefill')[0]?.aborted).toBe(true);
    expect(failed).toEqual(expect.arrayContaining(['CLIENT decode', 'CLIENT prefill']));
  });
});

describe('a client that leaves', () => {
  it.each(LEGS)('while %s is awaited takes every call along, and no later one is made', async (leg) => {
    const leaving = new AbortController();
    const silent: PhaseHandler = () => undefined;
    Object.assign(cluster.handlers, {
      [leg]: silent,
      ...(leg === 'reserve' ? {} : { prefill: silent, decode: silent }),
    });
    cluster.handlers[leg] = () => leaving.abort();
    const one = await served({ body: aChat(), signal: leaving.signal });
    const calls = cluster.calls().filter(({ headers }) => leg !== 'reserve' && headers['prefer'] === undefined);
    expect(await Promise.all(calls.map(({ aborted }) => aborted))).toEqual(calls.map(() => true));
    if (leg === 'reserve') expect(called()).toEqual(['reserve']);
    expect(one.own.timeline(ID)).toMatchObject({ status: 499, outcome: 'client_closed' });
    expect(warnings(one)).toEqual([]);
  });

  it('in mid-stream takes both calls along', async () => {
    const leaving = new AbortController();
    cluster.handlers.prefill = () => undefined;
    cluster.handlers.decode = endless;
    const one = await served({ body: aChat(), signal: leaving.signal, onData: () => leaving.abort() });
    const calls = [...cluster.calls('prefill'), ...cluster.calls('decode')];
    expect(await Promise.all(calls.map(({ aborted }) => aborted))).toEqual([true, true]);
    expect(one.own.timeline(ID)).toMatchObject({ outcome: 'client_closed' });
    expect(warnings(one)).toEqual([]);
  });
});
