import { describe, expect, it, jest } from '@jest/globals';
import { TcpPeer, cleanup } from '#testing';
import { BrokerBench, CHAT, brokerParts, errorOf, eventually } from './broker.fixture.ts';

jest.setTimeout(60_000);

const WAIT = { 'x-llm-d-async-mode': 'wait' };
const ID = 'job-1';
const WIRE = `default:${ID}`;
const NAMED = { ...WAIT, 'x-request-id': ID };
const held = 'llm_d_coordinator_async_held_requests';

const later = cleanup();
const parts = brokerParts();

async function start(params: object = {}): Promise<BrokerBench> {
  const bench = await BrokerBench.start(parts.redis, parts.cluster, params);
  later(() => bench.close());
  return bench;
}

async function holding(bench: BrokerBench, count = 1): Promise<void> {
  await eventually(async () => (await bench.coordinator.total(held)) === count);
}

/** Holds a request on a connection of the test's own. */
async function heldPeer(bench: BrokerBench, id = ID): Promise<TcpPeer> {
  const peer = await TcpPeer.to(bench.coordinator.url);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-llm-d-async-mode: wait\r\nx-request-id: ${id}\r\n`;
  peer.send(`${head}content-length: ${CHAT.length}\r\n\r\n${CHAT}`);
  return peer;
}

describe('async-broker in mode wait', () => {
  it('delivers a result that is there already, and deletes its key', async () => {
    const bench = await start();
    await bench.deliver(WIRE, { status_code: 200, payload: '{"choices":[]}' });
    const answer = await bench.ask(NAMED);
    expect([answer.status, answer.text]).toEqual([200, '{"choices":[]}']);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-request-id')).toBe(ID);
    await eventually(async () => (await bench.keys()).length === 0);
  });

  it.each(['auto', 'notify', 'poll'])('is told of the result with wakeup_mode %s', async (wakeup_mode) => {
    const bench = await start({ wakeup_mode });
    const asked = bench.ask(NAMED);
    await eventually(async () => (await bench.queued()).length === 1);
    await bench.deliver(WIRE, { status_code: 201, payload: '"done"' });
    expect(await asked).toMatchObject({ status: 201, text: '"done"' });
    expect(await bench.coordinator.total(held)).toBe(0);
  });

  it('is told by the notification, long before the backup poll', async () => {
    const bench = await start();
    const subscribed = `__keyspace@0__:results:req:${WIRE}`;
    const asked = bench.ask(NAMED);
    await eventually(async () => (await bench.redis.pubSubChannels()).includes(subscribed));
    await eventually(async () => (await bench.redis.exists(`request-active:${WIRE}`)) === 1);
    await bench.deliver(WIRE, { status_code: 200, payload: '{}' });
    expect((await asked).status).toBe(200);
    await eventually(async () => (await bench.redis.pubSubChannels()).length === 0);
  });

  it('finds what no notification told of', async () => {
    const bench = await start({ wakeup_mode: 'notify' });
    await bench.redis.configSet('notify-keyspace-events', '');
    later(() => bench.redis.configSet('notify-keyspace-events', 'Kl'));
    const asked = bench.ask(NAMED);
    await holding(bench);
    await bench.deliver(WIRE, { status_code: 200, payload: '{}' });
    expect((await asked).status).toBe(200);
  });

  it.each([
    ['Kl', 1],
    ['KA', 1],
    ['El', 0],
    ['K$', 0],
    ['', 0],
  ])('probes for notifications: with %j it subscribes on %d connections', async (flags, count) => {
    const { redis: client } = await start({ wakeup_mode: 'poll' });
    await client.configSet('notify-keyspace-events', flags);
    later(() => client.configSet('notify-keyspace-events', 'Kl'));
    const bench = await start();
    const asked = bench.ask(NAMED);
    await holding(bench);
    await eventually(async () => (await bench.redis.pubSubChannels()).length === count);
    await bench.deliver(WIRE, { status_code: 200, payload: '{}' });
    await asked;
  });

  it('answers all that wait for one id, on one subscription', async () => {
    const bench = await start();
    const asked = Array.from({ length: 5 }, () => bench.ask(NAMED));
    await holding(bench, 5);
    expect(await bench.queued()).toHaveLength(1);
    await bench.deliver(WIRE, { status_code: 200, payload: '{"a":1}' });
    for (const answer of asked) expect(await answer).toMatchObject({ status: 200, text: '{"a":1}' });
  });

  it('answers 202 at the wait cap, and leaves the request to be fetched', async () => {
    const bench = await start({ wait_cap_seconds: 1 });
    expect(await bench.ask(NAMED)).toMatchObject({ status: 202, text: `{"id":"${ID}","status":"pending"}` });
    expect(await bench.request('GET', ID)).toMatchObject({ status: 202 });
    expect(await bench.coordinator.samples('llm_d_coordinator_async_hold_duration_seconds_count')).toEqual({
      'outcome="pending"': 1,
    });
  });

  it('answers 504 DEADLINE_EXCEEDED at the deadline', async () => {
    const bench = await start({ wait_cap_seconds: 5 });
    const answer = await bench.ask({ ...NAMED, 'x-llm-d-request-timeout-seconds': '1' });
    expect(answer.status).toBe(504);
    expect(errorOf(answer)).toMatchObject({ type: 'timeout_error', code: 'DEADLINE_EXCEEDED', param: null });
  });

  it.each([
    ['3600 where nothing is set', {}, '100000', 3600],
    ['the limit', { max_seconds: 90 }, '100000', 90],
    ['a default that is longer than 3600', { default_seconds: 7200 }, '100000', 7200],
    ['60 by default', {}, undefined, 60],
    ['the default beside a limit alone', { max_seconds: 100 }, undefined, 60],
  ])('waits for %s at most', async (_what, wait, asked, seconds) => {
    const bench = await start({ timeouts: { wait }, wait_cap_seconds: 1 });
    await bench.ask({ ...NAMED, ...(asked === undefined ? {} : { 'x-llm-d-request-timeout-seconds': asked }) });
    const [member] = await bench.queued();
    expect(Number(member?.json.data['deadline']) - Number(member?.json.data['created'])).toBe(seconds);
  });

  it('cancels the request of a client that leaves', async () => {
    const bench = await start();
    const peer = await heldPeer(bench);
    await holding(bench);
    peer.socket.destroy();
    await eventually(async () => (await bench.redis.exists(`request-cancel:${WIRE}`)) === 1);
    expect(await bench.redis.get(`request-cancel:${WIRE}`)).toBe(await bench.redis.get(`request-active:${WIRE}`));
    const ttl = await bench.redis.ttl(`request-cancel:${WIRE}`);
    expect(ttl).toBeGreaterThan(604_700);
    expect(ttl).toBeLessThanOrEqual(604_800);
    await eventually(async () => (await bench.redis.pubSubChannels()).length === 0);
  });

  it('does not cancel a request that another client still waits for', async () => {
    const bench = await start();
    const first = await heldPeer(bench);
    await holding(bench, 1);
    const second = bench.ask(NAMED);
    await holding(bench, 2);
    first.socket.destroy();
    await holding(bench, 1);
    await bench.deliver(WIRE, { status_code: 200, payload: '{}' });
    expect((await second).status).toBe(200);
    expect(await bench.redis.exists(`request-cancel:${WIRE}`)).toBe(0);
  });

  it('keeps the result of a client that leaves before it has it', async () => {
    const bench = await start();
    const payload = JSON.stringify('x'.repeat(64 * 1024 * 1024));
    const peer = await heldPeer(bench);
    await holding(bench);
    peer.socket.pause();
    await bench.deliver(WIRE, { status_code: 200, payload });
    await holding(bench, 0);
    peer.socket.destroy();
    await bench.coordinator.idle();
    expect(await bench.redis.exists(`results:req:${WIRE}`)).toBe(1);
  });

  it('says 503 to a client that it turns away for a shutdown, and leaves its request in the queue', async () => {
    const bench = await start();
    const asked = bench.ask(NAMED);
    await holding(bench);
    bench.coordinator.lifecycle.advance('closing');
    bench.coordinator.lifecycle.breakOffAll();
    const answer = await asked;
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([503, ID]);
    await holding(bench, 0);
    expect(await bench.queued()).toHaveLength(1);
    expect(await bench.redis.exists(`request-cancel:${WIRE}`)).toBe(0);
  });
});

describe('a result', () => {
  it.each([
    [{ status_code: 404, payload: '{"error":{}}' }, 404, '{"error":{}}'],
    [{ status_code: 200, payload: '' }, 200, ''],
    [{ status_code: 204, payload: '' }, 204, ''],
    [{ status_code: 599, payload: 'no JSON' }, 599, 'no JSON'],
    [
      { status_code: 200, payload: '{"a":"\u00e9\ud83d\ude00\\n\\u0000\\u2028"}' },
      200,
      '{"a":"\u00e9\ud83d\ude00\\n\\u0000\\u2028"}',
    ],
  ])('%j reaches the client as it is', async (result, status, text) => {
    const bench = await start();
    await bench.deliver(WIRE, result);
    expect(await bench.ask(NAMED)).toMatchObject({ status, text });
  });

  it.each([
    [{ error_code: 'GATE_DROPPED', error_message: 'SECRET' }, 429, 'rate_limit_error', 'GATE_DROPPED'],
    [{ error_code: 'DEADLINE_EXCEEDED', error_message: 'SECRET' }, 504, 'timeout_error', 'DEADLINE_EXCEEDED'],
    [{ error_code: 'INVALID_REQUEST', payload: 'SECRET' }, 400, 'invalid_request_error', 'INVALID_REQUEST'],
    [{ status_code: 0, error_code: 'INFERENCE_ERROR' }, 502, 'api_error', 'INFERENCE_ERROR'],
    [{ status_code: 0 }, 502, 'api_error', 'INTERNAL_ERROR'],
    [{ status_code: 0, error_code: 'what went wrong: SECRET' }, 502, 'api_error', 'INTERNAL_ERROR'],
    [{ status_code: 0, error_code: 'constructor' }, 502, 'api_error', 'INTERNAL_ERROR'],
    [{ status_code: 600, payload: 'SECRET' }, 502, 'api_error', 'MALFORMED_RESULT'],
    [{ status_code: 99, payload: 'SECRET' }, 502, 'api_error', 'MALFORMED_RESULT'],
    [{ status_code: 100, payload: '' }, 502, 'api_error', 'MALFORMED_RESULT'],
    [{ status_code: -1, payload: '' }, 502, 'api_error', 'MALFORMED_RESULT'],
    [{ status_code: '200', payload: '' }, 502, 'api_error', 'MALFORMED_RESULT'],
    [{ status_code: 200, payload: { a: 'SECRET' } }, 502, 'api_error', 'MALFORMED_RESULT'],
  ])('%j is told as %d %s %s', async (result, status, type, code) => {
    const bench = await start();
    await bench.deliver(WIRE, result);
    const answer = await bench.ask(NAMED);
    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toMatchObject({ type, code, param: null });
    expect(answer.text).not.toContain('SECRET');
  });

  it('that arrives cancelled while a client waits is told as 499', async () => {
    const bench = await start();
    const asked = bench.ask(NAMED);
    await holding(bench);
    await bench.deliver(WIRE, { error_code: 'CANCELLED' });
    const answer = await asked;
    expect(answer.status).toBe(499);
    expect(errorOf(answer)).toMatchObject({ type: 'cancelled', code: 'CANCELLED' });
  });

  it('that is no JSON is told as 502 MALFORMED_RESULT', async () => {
    const bench = await start();
    await bench.redis.lPush(`results:req:${WIRE}`, '{"status_code":200,');
    const answer = await bench.ask(NAMED);
    expect([answer.status, errorOf(answer).code]).toEqual([502, 'MALFORMED_RESULT']);
  });
});
