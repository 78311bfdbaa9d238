import { describe, expect, it } from '@jest/globals';
import { BadRequestError, UpstreamError } from '#foundation';
import { joinRope } from '#json';
import type { PipelineRequest } from '#pipeline';
import { RawUpstream, TcpPeer, cleanup, json } from '#testing';
import type { Handler } from '#testing';
import { TestServer, serving } from './server.fixture.ts';
import type { ServerOptions } from './server.fixture.ts';

const CHAT = '/v1/chat/completions';
const PATHS = [CHAT, '/v1/completions', '/v1/responses', '/inference/v1/generate'];
const MIB = 1024 * 1024;
const later = cleanup();

const JSON_TYPE = { 'content-type': 'application/json' };

async function posting(options: Partial<ServerOptions> = {}, handler?: Handler) {
  const served = await serving(later, options, handler);
  const post = (body: string | Buffer, headers: Record<string, string> = {}, path = CHAT): Promise<Response> =>
    served.ask(path, { method: 'POST', body, headers: { ...JSON_TYPE, ...headers } });
  return { ...served, post };
}

/** The status of an answer, its content type, and the error object in it. */
async function errorOf(response: Response): Promise<unknown> {
  const { error } = (await response.json()) as { error: unknown }; // whether it is one is what is tested
  return { status: response.status, contentType: response.headers.get('content-type'), ...Object(error) };
}

/** The pipeline's view of what was posted. */
async function seen(options: Partial<ServerOptions>, body: string, path = CHAT): Promise<PipelineRequest> {
  const { promise, resolve } = Promise.withResolvers<PipelineRequest>();
  const { post } = await posting({
    ...options,
    first: (request) => {
      resolve(request);
      return undefined;
    },
  });
  await post(body, {}, path);
  return promise;
}

describe('inference routes', () => {
  it.each(PATHS)('POST %s runs the pipeline and relays its answer', async (path) => {
    const { gateway, post } = await posting({}, (_request, response) => json(response, { path }, 202));
    const response = await post('{"model":"m"}', {}, path);
    expect([response.status, await response.json()]).toEqual([202, { path }]);
    expect(gateway.requests).toMatchObject([{ method: 'POST', path }]);
    expect(gateway.requests[0]?.body.toString()).toBe('{"model":"m"}');
  });

  it('gives the pipeline format, model and stream', async () => {
    expect(await seen({}, '{"model":"m","stream":true}')).toMatchObject({ format: 'chat', model: 'm', stream: true });
  });

  it('serves a path with a query', async () => {
    const { gateway, post } = await posting();
    await post('{}', {}, `${CHAT}?trace=1`);
    expect(gateway.requests).toMatchObject([{ path: CHAT, headers: { 'epp-profile': 'decode' } }]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'nonsense', ''])(
    'takes the body whatever its content type: %p',
    async (type) => {
      const { gateway, server } = await posting();
      const client = await TcpPeer.to(server.url);
      const line = type === '' ? '' : `content-type: ${type}\r\n`;
      client.send(`POST ${CHAT} HTTP/1.1\r\nhost: x\r\n${line}content-length: 7\r\n\r\n{"a":1}`);
      expect(await client.until('{}')).toMatch(/^HTTP\/1\.1 200 /);
      expect(gateway.requests[0]?.headers['content-type']).toBe('application/json');
    },
  );

  it.each(['gzip', 'br', 'foo', 'gzip, identity', 'GZIP'])('refuses content-encoding %s', async (coding) => {
    const { gateway, post } = await posting();
    const answer = await errorOf(await post('{}', { 'content-encoding': coding }));
    expect(answer).toMatchObject({ status: 415, contentType: 'application/json', code: 'unsupported_encoding' });
    expect(gateway.requests).toHaveLength(0);
  });

  it.each(['identity', 'Identity', ''])('takes content-encoding %p, which says nothing', async (coding) => {
    const { post } = await posting();
    expect((await post('{}', { 'content-encoding': coding })).status).toBe(200);
  });

  describe('max_request_body_size', () => {
    const body = (size: number): string => `{"a":"${'x'.repeat(size - 8)}"}`;
    const chunks = (text: string): ReadableStream => new Blob([text]).stream();
    const postChunked = (url: string, text: string): Promise<Response> =>
      fetch(url + CHAT, { method: 'POST', body: chunks(text), duplex: 'half' });

    it.each([100 * 1024 + 1, MIB + 1, 2 * MIB])('is all that limits a body: %i bytes', async (size) => {
      const { server, post } = await posting({ server: { max_request_body_size: 2 } });
      expect((await post(body(size))).status).toBe(200);
      expect((await postChunked(server.url, body(size))).status).toBe(200);
    });

    it('refuses a body of one byte more, announced and chunked', async () => {
      const { server, post } = await posting({ server: { max_request_body_size: 2 } });
      const refused = { status: 413, contentType: 'application/json', code: 'body_too_large' };
      expect(await errorOf(await post(body(2 * MIB + 1)))).toMatchObject(refused);
      expect(await errorOf(await postChunked(server.url, body(2 * MIB + 1)))).toMatchObject(refused);
    });
  });

  it.each(['', '[1]', '{"a":', 'null'])('refuses %p as a body', async (body) => {
    const { gateway, post } = await posting();
    expect(await errorOf(await post(body))).toMatchObject({ status: 400, code: 'invalid_body' });
    expect(gateway.requests).toHaveLength(0);
  });

  it('takes transfer parameters out, unless the deployment trusts its clients', async () => {
    const body = '{"kv_transfer_params":{"remote_host":"10.0.0.9"},"a":1}';
    expect(joinRope((await seen({}, body)).body.toRope()).toString()).toBe('{"a":1}');
    const trusting = { server: { trust_transfer_params: true } };
    expect(joinRope((await seen(trusting, body)).body.toRope()).toString()).toBe(body);
  });

  describe('the request id', () => {
    it('of the client is on the answer and on every call', async () => {
      const { gateway, post } = await posting();
      const response = await post('{}', { 'x-request-id': 'my-id-1' });
      expect(response.headers.get('x-request-id')).toBe('my-id-1');
      expect(gateway.requests[0]?.headers['x-request-id']).toBe('my-id-1');
    });

    it('is made where there is none, and where it is not well formed', async () => {
      const { gateway, post } = await posting();
      for (const headers of [{}, { 'x-request-id': 'a_b SECRET' }]) {
        const id = (await post('{}', headers)).headers.get('x-request-id');
        expect(id).toMatch(/^[0-9a-f-]{36}$/);
        expect(gateway.requests.at(-1)?.headers['x-request-id']).toBe(id);
      }
      expect(TestServer.lines.join()).not.toContain('SECRET');
    });

    it('is the first of several', async () => {
      const { gateway, server } = await posting();
      const client = await TcpPeer.to(server.url);
      const headers = 'host: x\r\nX-Request-Id: one\r\nx-request-id: two\r\ncontent-length: 2\r\n\r\n{}';
      const text = await client.send(`POST ${CHAT} HTTP/1.1\r\n${headers}`).until('\r\n\r\n{}');
      expect(text.match(/x-request-id: .*/gi)).toEqual(['x-request-id: one']);
      expect(gateway.requests[0]?.rawHeaders.filter((value) => /^(one|two)/.test(value))).toEqual(['one']);
    });

    it('is on errors, in the header and in the message', async () => {
      const { post } = await posting();
      const response = await post('[]', { 'x-request-id': 'my-id-1' });
      expect(response.headers.get('x-request-id')).toBe('my-id-1');
      expect(await errorOf(response)).toMatchObject({ message: expect.stringMatching(/ \(request_id: my-id-1\)$/) });
    });
  });

  it('lets no routing header of a client through, and stamps its own', async () => {
    const { gateway, post } = await posting({ gatewayConfig: { profile_header: 'x-phase' } });
    await post('{}', {
      'x-phase': 'encode',
      'epp-profile': 'encode',
      'x-prefiller-host-port': '10.0.0.9:1',
      'x-gateway-destination-endpoint': '10.0.0.9:1',
      'x-llm-d-disagg-revision': '3',
      prefer: 'if-available',
      authorization: 'Bearer k',
    });
    const { headers } = gateway.requests[0] ?? { headers: {} };
    expect(headers).toMatchObject({ 'x-phase': 'decode', authorization: 'Bearer k' });
    for (const name of ['epp-profile', 'x-prefiller-host-port', 'x-gateway-destination-endpoint', 'prefer']) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(headers).not.toHaveProperty('x-llm-d-disagg-revision');
  });

  describe('failures', () => {
    it("of a step are the answer, and a warning where they are not the client's", async () => {
      const { post } = await posting({
        first: () => Promise.reject(new UpstreamError('prefill', 503, { 'retry-after': '5' })),
      });
      const response = await post('{"prompt":"SECRET"}', { 'x-request-id': 'my-id-1' });
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await errorOf(response)).toMatchObject({ status: 503, code: 'upstream_failed' });
      expect(TestServer.lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
        { severity_text: 'WARN', logger: 'server', 'x-request-id': 'my-id-1', status: 503, code: 'upstream_failed' },
      ]);
      expect(TestServer.lines.join()).not.toContain('SECRET');
    });

    it('of the client are not in the log', async () => {
      const { post } = await posting({ first: () => Promise.reject(new BadRequestError('invalid_value', 'no')) });
      expect(await errorOf(await post('{}'))).toMatchObject({ status: 400 });
      expect(TestServer.lines).toEqual([]);
    });

    it('that nobody foresaw are 500 and say nothing', async () => {
      const { post } = await posting({ first: () => Promise.reject(new TypeError('SECRET')) });
      const response = await post('{}');
      expect(await errorOf(response)).toMatchObject({
        status: 500,
        code: 'internal',
        message: expect.not.stringContaining('SECRET'),
      });
    });

    it('of a gateway that refuses are 502, and the log says so once', async () => {
      const { gateway, post } = await posting();
      await gateway.close();
      expect(await errorOf(await post('{}'))).toMatchObject({ status: 502, code: 'upstream_unreachable' });
      expect(TestServer.lines).toHaveLength(1);
    });
  });

  it.each(['announced', 'chunked'])(
    'is not troubled by a client that leaves in the middle of its body: %s',
    async (framing) => {
      const { gateway, server, post } = await posting();
      const client = await TcpPeer.to(server.url);
      const head =
        framing === 'announced' ? 'content-length: 9\r\n\r\n{"a"' : 'transfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\n';
      client.send(`POST ${CHAT} HTTP/1.1\r\nhost: x\r\n${head}`);
      while (server.lifecycle.inFlight === 0) await new Promise(setImmediate);
      client.reset();
      await server.lifecycle.idle();
      expect((await post('{}')).status).toBe(200);
      expect(gateway.requests).toHaveLength(1);
      expect(TestServer.lines).toEqual([]);
    },
  );

  it.each([
    ['that waits for its answer', '{"stream":false}'],
    ['that waits for a stream', '{"stream":true}'],
  ])('gives the gateway up for a client %s and leaves, and starts nothing more', async (_which, body) => {
    const silent = await RawUpstream.start(() => undefined);
    later(() => silent.close());
    const { server } = await posting({ gateway: silent.url });
    const client = await TcpPeer.to(server.url);
    client.send(`POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    while (silent.peers[0]?.text.includes('stream') !== true) await new Promise(setImmediate);
    client.reset();
    await silent.peers[0].closed;
    await server.lifecycle.idle();
    expect(silent.peers).toHaveLength(1);
    expect(TestServer.lines).toEqual([]);
  });

  it('beats into a silent stream as server.sse_heartbeat says, and into nothing else', async () => {
    const waiting = Promise.withResolvers<undefined>();
    const { server, post } = await posting({ server: { sse_heartbeat: 50 } }, async (_request, response) => {
      await waiting.promise;
      json(response, {});
    });
    const plain = post('{"stream":false}');
    const client = await TcpPeer.to(server.url);
    client.send(`POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: 15\r\n\r\n{"stream":true}`);
    await client.until(': ping\n', 3);
    waiting.resolve(undefined);
    expect(await (await plain).text()).toBe('{}');
  });

  it('refuses with 503 when nothing new is begun', async () => {
    const { gateway, server, post } = await posting();
    server.lifecycle.advance('closing');
    const response = await post('{}');
    expect(response.headers.get('connection')).toBe('close');
    expect(await errorOf(response)).toMatchObject({ status: 503, code: 'draining' });
    expect(gateway.requests).toHaveLength(0);
  });

  it('tells a client to send the body that it asks about, and the gateway nothing of it', async () => {
    const { gateway, server } = await posting();
    const client = await TcpPeer.to(server.url);
    client.send(`POST ${CHAT} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n`);
    await client.until('HTTP/1.1 100 Continue\r\n\r\n');
    expect(gateway.requests).toHaveLength(0);
    client.send('{}');
    await client.until('HTTP/1.1 200 OK');
    expect(gateway.requests[0]?.headers).not.toHaveProperty('expect');
  });
});
