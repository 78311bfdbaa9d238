import { describe, expect, it, jest } from '@jest/globals';
import { cleanup } from '#testing';
import { BrokerBench, CHAT, QUEUE, brokerParts, errorOf, idOf } from './broker.fixture.ts';

jest.setTimeout(60_000);

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const ENQUEUE = { 'x-llm-d-async-mode': 'enqueue' };
const now = (): number => Math.floor(Date.now() / 1000);

const later = cleanup();
const parts = brokerParts();

async function start(params: object = {}): Promise<BrokerBench> {
  const bench = await BrokerBench.start(parts.redis, parts.cluster, params);
  later(() => bench.close());
  return bench;
}

describe('async-broker without a mode', () => {
  it.each([{}, { 'x-llm-d-async-mode': '' }])(
    'leaves a request with %j untouched, a spoofed fairness header too',
    async (mode) => {
      const bench = await start();
      const spoofed = { 'x-llm-d-inference-fairness-id': 'other', 'x-llm-d-inference-objective': 'best' };
      const { status } = await bench.ask({ ...mode, ...spoofed });
      expect(status).toBe(200);
      expect(parts.cluster.calls('decode')[0]?.headers).toMatchObject(spoofed);
      expect(await bench.keys()).toEqual([]);
    },
  );
});

describe('async-broker refuses', () => {
  it.each([
    ['an unknown mode', { 'x-llm-d-async-mode': 'later' }, CHAT, 'x-llm-d-async-mode: no such mode'],
    [
      'a stream in mode enqueue',
      ENQUEUE,
      `${CHAT.slice(0, -1)},"stream":true}`,
      'stream is only supported in passthrough mode',
    ],
    [
      'a stream in mode wait',
      { 'x-llm-d-async-mode': 'Wait' },
      `${CHAT.slice(0, -1)},"stream":true}`,
      'stream is only supported in passthrough mode',
    ],
    ['a missing model', ENQUEUE, '{"messages":[]}', 'model is required'],
    ['an empty model', { 'x-llm-d-async-mode': 'passthrough' }, '{"model":"","messages":[]}', 'model is required'],
    ['a model that is no text', ENQUEUE, '{"model":1,"messages":[]}', 'model is required'],
    ['a tenant with a colon', { ...ENQUEUE, 'x-llm-d-tenant': 'a:b' }, CHAT, 'tenant must not contain ":"'],
    ['a tenant with a hash tag', { ...ENQUEUE, 'x-llm-d-tenant': '{a}' }, CHAT, 'tenant must not contain "{" or "}"'],
    [
      'a tenant beyond ASCII',
      { ...ENQUEUE, 'x-llm-d-tenant': 'caf\u00e9' },
      CHAT,
      'tenant must consist of printable ASCII characters',
    ],
    [
      'a tenant with a tab',
      { ...ENQUEUE, 'x-llm-d-tenant': 'a\tb' },
      CHAT,
      'tenant must consist of printable ASCII characters',
    ],
    [
      'a tenant that is too long',
      { ...ENQUEUE, 'x-llm-d-tenant': 'a'.repeat(257) },
      CHAT,
      'tenant must have 1 to 256 characters',
    ],
  ])('%s', async (_what, headers, body, message) => {
    const bench = await start();
    const answer = await bench.ask({ ...headers, 'x-request-id': 'req-1' }, body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toEqual({
      message: `${message} (request_id: req-1)`,
      type: 'invalid_request_error',
      param: null,
      code: 'INVALID_REQUEST',
    });
    expect([answer.headers.get('content-type'), answer.headers.get('x-request-id')]).toEqual([
      'application/json',
      'req-1',
    ]);
    expect(await bench.keys()).toEqual([]);
    expect(parts.cluster.calls()).toEqual([]);
    await bench.coordinator.idle();
    expect(await bench.coordinator.total('llm_d_coordinator_request_error_total')).toBe(0);
    expect(await bench.coordinator.total('llm_d_coordinator_step_errors_total')).toBe(0);
  });
});

describe('async-broker in mode enqueue', () => {
  it('answers 202 with the id, and marks the request as pending', async () => {
    const bench = await start();
    const answer = await bench.ask({ ...ENQUEUE, 'x-request-id': 'job-1', 'x-llm-d-tenant': 'team-a' });
    expect([answer.status, answer.text]).toEqual([202, '{"id":"job-1","status":"pending"}']);
    expect([answer.headers.get('x-request-id'), answer.headers.get('content-type')]).toEqual([
      'job-1',
      'application/json',
    ]);
    expect(await bench.keys()).toEqual(['request-active:team-a:job-1', QUEUE]);
    const [member] = await bench.queued();
    expect(await bench.redis.get('request-active:team-a:job-1')).toBe(member?.json.internal['request_token']);
    expect(member?.json.internal['request_token']).toMatch(/^[0-9a-f]{32}$/);
    const ttl = await bench.redis.ttl('request-active:team-a:job-1');
    expect(ttl).toBeGreaterThan(3590);
    expect(ttl).toBeLessThanOrEqual(3600);
    expect(parts.cluster.calls()).toEqual([]);
  });

  it('gives a request without an id one of its own', async () => {
    const bench = await start();
    const id = idOf(await bench.ask(ENQUEUE));
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await bench.queued())[0]?.json.data.id).toBe(`default:${id}`);
  });

  it('puts the envelope on the routed queue, with the body as it came', async () => {
    const bench = await start({
      routes: [
        { model: 'other', queue: 'wrong' },
        { model: 'm', tenant: 'team-a', queue: 'team-a-queue' },
        { queue: 'late' },
      ],
    });
    const body =
      '{ "model":"m", "seed":9007199254740993, "x":1.0, "x":1E5,"messages":[{"content":"\\ud83d\\ude00 \\u00e9 é"}]}';
    const before = now();
    const answer = await bench.ask(
      {
        ...ENQUEUE,
        'x-llm-d-tenant': 'team-a',
        'x-request-id': 'job-1',
        'x-llm-d-slo-ttft-ms': '200',
        'x-llm-d-request-timeout-seconds': '120',
        traceparent: TRACEPARENT,
      },
      body,
    );
    expect(answer.status).toBe(202);
    const [member] = await bench.queued('team-a-queue');
    const { created, deadline, ...data } = member?.json.data ?? { id: '' };
    const names = { request_queue_name: 'team-a-queue', result_queue_name: 'results:req:team-a:job-1' };
    expect(member?.json.internal).toEqual({ ...names, request_token: member?.json.internal['request_token'] });
    expect(member?.json.request_kind).toBe('redis');
    expect(data).toEqual({
      id: 'team-a:job-1',
      payload: expect.anything(),
      metadata: { userid: 'team-a', traceparent: TRACEPARENT },
      headers: { 'x-llm-d-slo-ttft-ms': '200' },
      endpoint: '/v1/chat/completions',
      ...names,
    });
    expect(member?.text).toContain(`"payload":${body},"metadata"`);
    expect(member?.text).not.toContain('async-mode');
    expect(member?.score).toBe(deadline);
    expect(Number(deadline) - Number(created)).toBe(120);
    expect(Number(created)).toBeGreaterThanOrEqual(before);
    expect(Number(created)).toBeLessThanOrEqual(now());
  });

  it.each([
    ['no trace', {}, {}],
    ['a malformed one', { traceparent: 'x' }, {}],
    [
      'one that is not sampled',
      { traceparent: TRACEPARENT.replace(/1$/, '0') },
      { traceparent: TRACEPARENT.replace(/1$/, '0') },
    ],
  ])('carries %s as the rest of the trace needs it', async (_what, headers, metadata) => {
    const bench = await start();
    await bench.ask({ ...ENQUEUE, ...headers });
    const [member] = await bench.queued();
    expect(member?.json.data['metadata']).toEqual({ userid: 'default', ...metadata });
    expect(member?.json.data).not.toHaveProperty('headers');
  });

  it.each([
    ['the default', {}, undefined, 3600],
    ['what was asked for, unclamped without a limit', {}, '100000', 100_000],
    ['the limit', { enqueue: { max_seconds: 4000 } }, '100000', 4000],
    ['a default of its own', { enqueue: { default_seconds: 7 } }, undefined, 7],
    ['the default for zero', {}, '0', 3600],
    ['the default for a negative', {}, '-5', 3600],
    ['the default for a fraction', {}, '1.5', 3600],
    ['the default for words', {}, 'soon', 3600],
    ['what a clock can add for too much', {}, '99999999999999999999', 2 ** 31 - 1],
  ])('takes %s for the deadline', async (_what, timeouts, asked, seconds) => {
    const bench = await start({ timeouts });
    const { status } = await bench.ask({
      ...ENQUEUE,
      ...(asked === undefined ? {} : { 'x-llm-d-request-timeout-seconds': asked }),
    });
    expect(status).toBe(202);
    const [member] = await bench.queued();
    expect(Number(member?.json.data['deadline']) - Number(member?.json.data['created'])).toBe(seconds);
  });

  it('takes headers of other names', async () => {
    const bench = await start({ mode_header: 'X-AP-Mode', tenant_header: 'X-Team', timeout_header: 'X-Limit' });
    const { status } = await bench.ask({ 'x-ap-mode': 'enqueue', 'x-team': 'a', 'x-limit': '5', 'x-request-id': 'i' });
    expect(status).toBe(202);
    expect(await bench.keys()).toEqual(['request-active:a:i', QUEUE]);
  });
});

describe('async-broker with an id that is known', () => {
  const named = (id = 'job-1'): Record<string, string> => ({ ...ENQUEUE, 'x-request-id': id });

  it('does not queue a pending request again, and takes a wish to cancel it back', async () => {
    const bench = await start();
    await bench.ask(named());
    await bench.request('DELETE', 'job-1');
    expect(await bench.redis.get('request-cancel:default:job-1')).toBe(
      await bench.redis.get('request-active:default:job-1'),
    );
    expect((await bench.ask(named(), CHAT.replace('hi', 'other'))).status).toBe(202);
    expect(await bench.queued()).toHaveLength(1);
    expect(await bench.redis.exists('request-cancel:default:job-1')).toBe(0);
  });

  it('leaves a wish alone that is about an earlier submission', async () => {
    const bench = await start();
    await bench.ask(named());
    await bench.redis.set('request-cancel:default:job-1', 'another');
    await bench.ask(named());
    expect(await bench.redis.get('request-cancel:default:job-1')).toBe('another');
  });

  it('does not queue a request again whose result is there', async () => {
    const bench = await start();
    await bench.deliver('default:job-1', { status_code: 200, payload: '{}' });
    expect((await bench.ask(named())).status).toBe(202);
    expect(await bench.queued()).toEqual([]);
  });

  it('queues a request anew that was cancelled, though its mark is still there', async () => {
    const bench = await start();
    await bench.ask(named());
    await bench.deliver('default:job-1', { error_code: 'CANCELLED' });
    expect((await bench.ask(named())).status).toBe(202);
    expect(await bench.queued()).toHaveLength(2);
    expect(await bench.redis.exists('results:req:default:job-1')).toBe(0);
    const tokens = (await bench.queued()).map(({ json }) => json.internal['request_token']);
    expect(tokens).toContain(await bench.redis.get('request-active:default:job-1'));
  });

  it('queues one of many that come at the same time', async () => {
    const bench = await start();
    const answers = await Promise.all(Array.from({ length: 20 }, () => bench.ask(named())));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(await bench.queued()).toHaveLength(1);
  });

  it('keeps the ids of tenants apart', async () => {
    const bench = await start();
    await bench.ask({ ...named(), 'x-llm-d-tenant': 'a' });
    await bench.ask({ ...named(), 'x-llm-d-tenant': 'b' });
    expect((await bench.queued()).map(({ json }) => json.data.id).sort()).toEqual(['a:job-1', 'b:job-1']);
  });

  it('replaces an id that is none', async () => {
    const bench = await start();
    const answer = await bench.ask(named('a:b{c}'));
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect((await bench.queued())[0]?.json.data.id).toBe(`default:${answer.headers.get('x-request-id') ?? ''}`);
  });
});
