import { describe, expect, it } from '@jest/globals';
import { METHODS } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { TcpPeer, cleanup, json } from '#testing';
import type { FakeUpstream } from '#testing';
import { TestServer, serving, servingRaw, values } from './server.fixture.ts';

const PIPELINE_PATHS = ['/v1/chat/completions', '/v1/completions', '/v1/responses', '/inference/v1/generate'];
const later = cleanup();

describe('passthrough', () => {
  it('sends path and query as they came to the gateway, as decode', async () => {
    const { gateway, ask } = await serving(later, {}, (_request, response) => json(response, { data: [] }, 202));
    const response = await ask('/v1/models//x%2Fy?a=%20b&a=c', { headers: { 'x-request-id': 'my-id-1' } });
    expect([response.status, await response.json()]).toEqual([202, { data: [] }]);
    expect(gateway.requests).toMatchObject([
      {
        method: 'GET',
        path: '/v1/models//x%2Fy?a=%20b&a=c',
        headers: { host: new URL(gateway.url).host, 'epp-profile': 'decode', 'x-request-id': 'my-id-1' },
      },
    ]);
    expect(response.headers.get('x-request-id')).toBe('my-id-1');
  });

  it.each(METHODS.filter((method) => method !== 'CONNECT'))('takes %s', async (method) => {
    const { gateway, server } = await serving(later);
    const client = await TcpPeer.to(server.url);
    client.send(`${method} /v1/things HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 200 /);
    expect(gateway.requests).toMatchObject([{ method, path: '/v1/things' }]);
  });

  it.each([
    '/v1/chat/completions/',
    '//v1/chat/completions',
    '/v1/Chat/completions',
    '/v1/responses/resp_1',
    '/generate',
    '/',
  ])('takes POST %s: it is not quite the path of a pipeline', async (path) => {
    const { gateway, server } = await serving(later);
    const client = await TcpPeer.to(server.url);
    await client.send(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`).until('{}');
    expect(gateway.requests).toMatchObject([{ method: 'POST', path }]);
  });

  describe('headers', () => {
    it('of the client go on, all values of a name, without those of one connection and those that route', async () => {
      const { gateway, server } = await serving(later);
      const client = await TcpPeer.to(server.url);
      const lines = [
        'host: x',
        'Authorization: Bearer k',
        'X-Many: 1',
        'x-many: 2',
        'Connection: keep-alive, x-hop',
        'X-Hop: 1',
        'TE: trailers',
        'Prefer: if-available',
        'EPP-Profile: encode',
        'X-Gateway-Destination-Endpoint-Subset: 10.0.0.9:1',
        'Accept-Encoding: gzip',
      ];
      await client.send(`GET /v1/x HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`).until('{}');
      expect(values(gateway.requests[0], 'authorization')).toEqual(['Bearer k']);
      expect(values(gateway.requests[0], 'x-many')).toEqual(['1', '2']);
      expect(values(gateway.requests[0], 'epp-profile')).toEqual(['decode']);
      const gone = ['x-hop', 'te', 'prefer', 'x-gateway-destination-endpoint-subset', 'accept-encoding'];
      expect(gone.flatMap((name) => values(gateway.requests[0], name))).toEqual([]);
    });

    it.each([
      [[], '127.0.0.1'],
      [['x-forwarded-for: 192.0.2.1'], '192.0.2.1, 127.0.0.1'],
      [
        ['x-forwarded-for: 192.0.2.1, 192.0.2.2', 'X-Forwarded-For: 192.0.2.3'],
        '192.0.2.1, 192.0.2.2, 192.0.2.3, 127.0.0.1',
      ],
    ])('say on whose behalf it asks: %p → %s', async (lines, expected) => {
      const { gateway, server } = await serving(later);
      const client = await TcpPeer.to(server.url);
      await client
        .send(`GET /v1/x HTTP/1.1\r\nhost: x\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`)
        .until('{}');
      expect(values(gateway.requests[0], 'x-forwarded-for')).toEqual([expected]);
    });

    it('of the gateway come back, all values of a name, without those between it and the picker', async () => {
      const { ask } = await serving(later, {}, (_request, response) => {
        response.writeHead(200, {
          'set-cookie': ['a=1', 'b=2'],
          server: 'uvicorn',
          'x-peer-topology': 'rack-7',
          'x-prefiller-host-port': '192.0.2.7:8000',
          'keep-alive': 'timeout=5',
        });
        response.end();
      });
      const { headers } = await ask('/v1/x');
      expect(headers.getSetCookie()).toEqual(['a=1', 'b=2']);
      expect(headers.get('server')).toBe('uvicorn');
      expect(headers.has('x-peer-topology')).toBe(false);
      expect(headers.has('x-prefiller-host-port')).toBe(false);
    });
  });

  it.each([301, 307, 404, 500, 503])('relays a %i with its body', async (status) => {
    const { gateway, ask } = await serving(later, {}, (_request, response) => {
      response.writeHead(status, { location: 'http://elsewhere.invalid/', 'retry-after': '3' }).end('as it is');
    });
    const response = await ask('/v1/x');
    expect([response.status, await response.text()]).toEqual([status, 'as it is']);
    expect(response.headers.get('retry-after')).toBe('3');
    expect(gateway.requests).toHaveLength(1);
  });

  it('answers HEAD as GET, without the body, on a connection that can be used again', async () => {
    const { server } = await serving(later, {}, (request, response) => {
      response.writeHead(200, { 'content-length': 9, 'x-a': '1' }).end(request.method === 'HEAD' ? '' : 'the body!');
    });
    const client = await TcpPeer.to(server.url);
    const head = await client.send('HEAD /v1/models HTTP/1.1\r\nhost: x\r\n\r\n').until('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 [^]*content-length: 9\r\n[^]*\r\n\r\n$/);
    const get = await client.send('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n').until('the body!');
    expect(get.slice(head.length)).toMatch(/^HTTP\/1\.1 200 [^]*x-a: 1\r\n/);
  });

  describe.each(PIPELINE_PATHS)('%s', (path) => {
    it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('answers %s with 405 and what is allowed', async (method) => {
      const { gateway, ask } = await serving(later);
      const response = await ask(`${path}?x=1`, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
      if (method !== 'HEAD') expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
      expect(gateway.requests).toHaveLength(0);
    });
  });

  it('is 404 where server.passthrough is off, but for the paths that are served', async () => {
    const { gateway, ask } = await serving(later, { server: { passthrough: false } });
    const response = await ask('/v1/models');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'not_found', type: 'invalid_request_error' } });
    expect((await ask('/v1/completions')).status).toBe(405);
    expect((await ask('/healthz')).status).toBe(200);
    expect(gateway.requests).toHaveLength(0);
  });

  it.each(['/healthz', '/readyz'])('is not asked for %s', async (path) => {
    const { gateway, ask } = await serving(later);
    expect((await ask(path)).status).toBe(200);
    expect(gateway.requests).toHaveLength(0);
  });

  it('is 502 where the gateway refuses', async () => {
    const { gateway, ask } = await serving(later);
    await gateway.close();
    const response = await ask('/v1/models');
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_unreachable' } });
  });

  it('is 503 when nothing new is begun', async () => {
    const { server, ask } = await serving(later);
    server.lifecycle.advance('closing');
    expect((await ask('/v1/models')).status).toBe(503);
  });

  it('has no limit on how long an answer takes', async () => {
    const { server, client } = await servingRaw(
      later,
      async (peer) => {
        await peer.until('\r\n\r\n');
        peer.send('HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ncontent-length: 6\r\n\r\n');
        for (const byte of 'abcdef') {
          peer.send(byte);
          await delay(50);
        }
      },
      { server: { write_timeout: 150 } },
    );
    await client.send('GET /v1/x HTTP/1.1\r\nhost: x\r\n\r\n').until('abcdef');
    await server.lifecycle.idle();
  });

  it.each([
    ['in its body', 'POST /v1/x HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\nhalf', 'half'],
    ['in a chunked body', 'POST /v1/x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n', 'half'],
    ['in the answer', 'GET /v1/x HTTP/1.1\r\nhost: x\r\n\r\n', '\r\n\r\n'],
  ])('gives the gateway up for a client that leaves %s, without a word in the log', async (_where, request, mark) => {
    const { gateway, server, client } = await servingRaw(later, async (peer) => {
      await peer.until(mark);
      client.reset();
    });
    client.send(request);
    await client.closed;
    await gateway.peers[0]?.closed;
    await server.lifecycle.idle();
    expect(TestServer.lines).toEqual([]);
  });

  describe('request targets', () => {
    async function target(line: string): Promise<{ gateway: FakeUpstream; text: string }> {
      const { gateway, server } = await serving(later);
      const client = await TcpPeer.to(server.url);
      client.send(`${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      return { gateway, text: await client.rest() };
    }

    it.each(['/%', '/v1/%zz', '/v1/%c3%28'])('that cannot be read are 400: %s', async (path) => {
      const { gateway, text } = await target(`GET ${path}`);
      expect(text).toMatch(/^HTTP\/1\.1 400 [^]*"invalid_value"/);
      expect(text).toMatch(/\r\nx-request-id: /);
      expect(gateway.requests).toHaveLength(0);
    });

    it('in absolute form are taken for their path: the gateway is no proxy', async () => {
      const { gateway } = await target('GET http://elsewhere.invalid/v1/models?a=1');
      expect(gateway.requests).toMatchObject([{ path: '/v1/models?a=1' }]);
    });

    it('in absolute form are the same paths of a pipeline', async () => {
      const { gateway, text } = await target('GET http://elsewhere.invalid/v1/completions');
      expect(text).toMatch(/^HTTP\/1\.1 405 /);
      expect(gateway.requests).toHaveLength(0);
    });

    it('OPTIONS * is for no path that there is', async () => {
      const { text } = await target('OPTIONS *');
      expect(text).toMatch(/^HTTP\/1\.1 404 [^]*"not_found"/);
    });
  });
});
