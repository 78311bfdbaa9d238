import { describe, expect, it, jest } from '@jest/globals';
import { TcpPeer, cleanup } from '#testing';
import { BrokerBench, brokerParts, errorOf, eventually } from './broker.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';

jest.setTimeout(60_000);

const ENQUEUE = { 'x-llm-d-async-mode': 'enqueue', 'x-request-id': 'job-1', 'x-llm-d-tenant': 'team-a' };
const WIRE = 'team-a:job-1';
const MAILBOX = `results:req:${WIRE}`;

const later = cleanup();
const parts = brokerParts();

async function start(params: object = {}): Promise<BrokerBench> {
  const bench = await BrokerBench.start(parts.redis, parts.cluster, params);
  later(() => bench.close());
  return bench;
}

describe('GET /v1/requests/{id}', () => {
  it('answers 410 for an unknown id', async () => {
    const answer = await (await start()).request('GET', 'nobody', 'team-a');
    expect(answer.status).toBe(410);
    expect(errorOf(answer)).toMatchObject({ type: 'invalid_request_error', code: 'UNKNOWN_REQUEST', param: null });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers 202 while the request is pending, and for its own tenant only', async () => {
    const bench = await start();
    await bench.ask(ENQUEUE);
    expect(await bench.request('GET', 'job-1', 'team-a')).toMatchObject({
      status: 202,
      text: '{"id":"job-1","status":"pending"}',
    });
    expect((await bench.request('GET', 'job-1', 'team-b')).status).toBe(410);
    expect((await bench.request('GET', 'job-1')).status).toBe(410);
  });

  it('mirrors a result, and shrinks its time to the grace', async () => {
    const bench = await start();
    await bench.deliver(WIRE, { status_code: 429, payload: '{"error":{"message":"busy"}}' });
    for (let fetched = 0; fetched < 2; fetched++) {
      const answer = await bench.request('GET', 'job-1', 'team-a');
      expect([answer.status, answer.text]).toEqual([429, '{"error":{"message":"busy"}}']);
      await eventually(async () => (await bench.redis.ttl(MAILBOX)) <= 60);
    }
    expect(await bench.redis.ttl(MAILBOX)).toBeGreaterThan(50);
    expect((await bench.request('GET', 'job-1', 'team-b')).status).toBe(410);
  });

  it('deletes a result that was delivered, with a grace of 0', async () => {
    const bench = await start({ fetch_grace_seconds: 0 });
    await bench.deliver(WIRE, { status_code: 200, payload: '{}' });
    expect((await bench.request('GET', 'job-1', 'team-a')).status).toBe(200);
    await eventually(async () => (await bench.redis.exists(MAILBOX)) === 0);
  });

  it('tells of a cancelled request as 499', async () => {
    const bench = await start();
    await bench.deliver(WIRE, { error_code: 'CANCELLED' });
    const answer = await bench.request('GET', 'job-1', 'team-a');
    expect([answer.status, errorOf(answer).type]).toEqual([499, 'cancelled']);
  });

  it.each([
    ['a colon', 'a:b'],
    ['a colon in code', 'a%3Ab'],
    ['a slash in code', 'a%2Fb'],
    ['braces', '%7Ba%7D'],
    ['a line end', 'a%0D%0Ab'],
    ['a star', '*'],
    ['nothing', ''],
    ['129 characters', 'a'.repeat(129)],
    ['2000 characters', 'a'.repeat(2000)],
  ])('refuses an id with %s', async (_what, id) => {
    const answer = await (await start()).request('GET', id);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({
      message: expect.stringContaining('request id must be 1-128 alphanumeric or dash characters'),
      code: 'INVALID_REQUEST',
    });
  });

  it('takes an id of 128 characters, and a query', async () => {
    const bench = await start();
    expect((await bench.request('GET', `${'a'.repeat(128)}?x=1`)).status).toBe(410);
  });

  it.each(['a:b', 'a{b}', 'a\u00e9', 'x'.repeat(257)])('refuses the tenant %j', async (tenant) => {
    const bench = await start();
    for (const method of ['GET', 'DELETE']) {
      const answer = await bench.request(method, 'job-1', tenant);
      expect([answer.status, errorOf(answer).code]).toEqual([400, 'INVALID_REQUEST']);
    }
  });

  it('answers HEAD as GET, without a body, and leaves the result its time', async () => {
    const bench = await start();
    await bench.deliver(WIRE, { status_code: 200, payload: '{"a":1}' });
    const answer = await bench.request('HEAD', 'job-1', 'team-a');
    expect([answer.status, answer.headers.get('content-length'), answer.text]).toEqual([200, '7', '']);
    expect(await bench.redis.ttl(MAILBOX)).toBeGreaterThan(500);
    const peer = await TcpPeer.to(bench.coordinator.url);
    peer.send('HEAD /v1/requests/nobody HTTP/1.1\r\nhost: x\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await peer.until('\r\n\r\nok')).toMatch(/^HTTP\/1.1 410 /);
  });

  it.each(['POST', 'PUT', 'PATCH', 'OPTIONS'])('answers %s with 405', async (method) => {
    const answer = await (await start()).request(method, 'job-1');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE']);
    expect(parts.cluster.calls()).toEqual([]);
  });

  it('leaves longer paths to the gateway', async () => {
    const bench = await start();
    expect((await bench.request('GET', 'job-1/events')).status).toBe(200);
    expect(parts.cluster.calls('passthrough')[0]?.path).toBe('/v1/requests/job-1/events');
  });

  it('is passed through where there is no broker', async () => {
    const coordinator = await ObservedCoordinator.start(parts.cluster, { steps: ['decode'] });
    later(() => coordinator.close());
    expect((await fetch(`${coordinator.url}/v1/requests/job-1`)).status).toBe(200);
    expect(parts.cluster.calls('passthrough')).toHaveLength(1);
  });

  it('is no inference: it has no metrics of one', async () => {
    const bench = await start();
    await bench.request('GET', 'job-1');
    await bench.coordinator.idle();
    expect(await bench.coordinator.total('llm_d_coordinator_request_total')).toBe(0);
    expect(bench.coordinator.lines).toEqual([]);
  });
});

describe('DELETE /v1/requests/{id}', () => {
  it('cancels a pending request', async () => {
    const bench = await start();
    await bench.ask(ENQUEUE);
    expect(await bench.request('DELETE', 'job-1', 'team-a')).toMatchObject({ status: 204, text: '' });
    expect(await bench.redis.get(`request-cancel:${WIRE}`)).toBe(await bench.redis.get(`request-active:${WIRE}`));
    expect(await bench.redis.ttl(`request-cancel:${WIRE}`)).toBeGreaterThan(604_700);
  });

  it('removes a result, that of its own tenant only', async () => {
    const bench = await start();
    await bench.deliver(WIRE, { status_code: 200, payload: '{}' });
    expect((await bench.request('DELETE', 'job-1', 'team-b')).status).toBe(204);
    expect(await bench.redis.exists(MAILBOX)).toBe(1);
    expect((await bench.request('DELETE', 'job-1', 'team-a')).status).toBe(204);
    expect(await bench.keys()).toEqual([]);
  });

  it('answers 204 for an id that nobody has, and writes nothing', async () => {
    const bench = await start();
    expect((await bench.request('DELETE', 'nobody')).status).toBe(204);
    expect(await bench.keys()).toEqual([]);
  });
});
