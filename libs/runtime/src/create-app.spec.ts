import { describe, expect, it } from '@jest/globals';
import { BadRequestException, Controller, Get, NotFoundException, Post } from '@nestjs/common';
import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { BadRequestError } from '#foundation';
import { TcpPeer, cleanup } from '#testing';
import { TestApp } from './app.fixture.ts';
import type { TestAppOptions } from './app.fixture.ts';
import { tlsOptions } from './certificates.ts';

@Controller('things')
class Things {
  @Get('ours')
  ours(): never {
    throw new BadRequestError('invalid_value', 'no such size', { param: 'size' });
  }

  @Get('nests')
  nests(): never {
    throw new BadRequestException('not like this');
  }

  @Get('missing')
  missing(): never {
    throw new NotFoundException('not here');
  }

  @Get('bug')
  bug(): never {
    throw new TypeError('SECRET');
  }

  @Post('taken')
  taken(): string {
    return 'taken';
  }
}

const later = cleanup();

async function running(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await TestApp.start({ controllers: [Things], ...options });
  later(() => app.close());
  return app;
}

/** Bytes of a client, and everything that comes back. */
async function exchange(bytes: string, options: TestAppOptions = {}): Promise<string> {
  const client = await TcpPeer.to((await running(options)).url);
  return client.send(bytes).rest();
}

/** The error object in raw text of an answer. */
function errorIn(text: string): unknown {
  return (JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { error: unknown }).error; // whether it is one is what is tested
}

const REQUEST_ID = /\r\nx-request-id: [0-9a-f-]{36}\r\n/;

describe('createApp', () => {
  describe('errors', () => {
    it.each([
      [
        'ours',
        400,
        { code: 'invalid_value', param: 'size', message: expect.stringMatching(/^no such size \(request_id/) },
      ],
      ['nests', 400, { code: 'invalid_value', message: expect.stringMatching(/^not like this/) }],
      ['missing', 404, { code: 'not_found', message: expect.stringMatching(/^not here/) }],
      ['bug', 500, { code: 'internal', message: expect.not.stringContaining('SECRET') }],
      ['nowhere', 404, { code: 'not_found' }],
    ])('of a controller are OpenAI error objects: %s', async (path, status, error) => {
      const response = await fetch(`${(await running()).url}/things/${path}`, { headers: { 'x-request-id': 'my-id' } });
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('x-request-id')).toBe('my-id');
      expect(await response.json()).toMatchObject({ error });
    });

    it('of the request line are 400', async () => {
      const text = await exchange('GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      expect(text).toMatch(REQUEST_ID);
      expect(errorIn(text)).toMatchObject({ code: 'invalid_value' });
    });

    it('of an id that cannot be taken have an id of their own', async () => {
      const text = await exchange(
        'GET /things/ours HTTP/1.1\r\nhost: x\r\nx-request-id: a_b\r\nconnection: close\r\n\r\n',
      );
      expect(text).toMatch(REQUEST_ID);
      expect(text).not.toContain('a_b');
    });
  });

  describe('what is no HTTP', () => {
    it.each([
      ['garbage', 'garbage\r\n\r\n'],
      ['a header without a colon', 'GET / HTTP/1.1\r\nhost x\r\n\r\n'],
      ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
      ['a length and chunks', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n'],
      ['a chunk of no size', 'POST /things/taken HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ])('is 400 and the end of the connection: %s', async (_what, bytes) => {
      const text = await exchange(bytes);
      expect(text).toMatch(/^HTTP\/1\.1 (400|200) /);
      expect(text).toMatch(/\r\nconnection: close\r\n/i);
    });

    it('is told in an error object', async () => {
      const text = await exchange('garbage\r\n\r\n');
      expect(text).toMatch(REQUEST_ID);
      expect(errorIn(text)).toMatchObject({
        code: 'invalid_body',
        message: expect.stringMatching(/^malformed HTTP request/),
      });
      const body = text.slice(text.indexOf('\r\n\r\n') + 4);
      expect(text).toContain(`\r\ncontent-length: ${body.length}\r\n`);
    });

    it('is not told in the middle of another answer', async () => {
      const app = await running();
      const client = await TcpPeer.to(app.url);
      await client.send('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n').until('ok');
      const before = client.text;
      client.send('garbage\r\n\r\n');
      expect(await client.rest()).toBe(before);
    });

    it('does not keep a connection that the client does not close', async () => {
      const app = await running();
      const accepted = once(app.app.getHttpServer(), 'connection') as Promise<[Socket]>; // what the event hands over
      const client = await TcpPeer.to(app.url, true);
      const [socket] = await accepted;
      await client.send('garbage\r\n\r\n').until('}}');
      if (!socket.destroyed) await once(socket, 'close');
    });
  });

  describe('headers', () => {
    const of = (size: number): string => `GET /healthz HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(size)}\r\n\r\n`;

    it('may be large', async () => {
      const client = await TcpPeer.to((await running()).url);
      expect(await client.send(of(900 * 1024)).until('ok')).toMatch(/^HTTP\/1\.1 200 /);
    });

    it('over 1 MiB are 431', async () => {
      const client = await TcpPeer.to((await running()).url);
      const text = await client.send(of(1024 * 1024 + 1)).until('}}');
      expect(text).toMatch(/^HTTP\/1\.1 431 /);
      expect(errorIn(text)).toMatchObject({ code: 'headers_too_large' });
    });
  });

  it('ends a request whose body does not arrive within the read timeout', async () => {
    const begun = performance.now();
    await exchange('POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf', { readTimeout: 300 });
    expect(performance.now() - begun).toBeLessThan(4_000);
  });

  it('ends one whose headers do not arrive, with 408', async () => {
    const text = await exchange('GET /healthz HTTP/1.1\r\nhost: x\r\n', { readTimeout: 300 });
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(errorIn(text)).toMatchObject({ code: 'request_timeout' });
  });

  it('keeps an idle connection for the read timeout', async () => {
    const client = await TcpPeer.to((await running({ readTimeout: 300 })).url);
    await client.send('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n').until('ok');
    await client.closed;
  });

  it('answers an expectation that it does not know with 417, and goes on', async () => {
    const client = await TcpPeer.to((await running()).url);
    const text = await client.send('GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: magic\r\n\r\n').until('}}');
    expect(text).toMatch(/^HTTP\/1\.1 417 /);
    expect(text).toMatch(REQUEST_ID);
    expect(errorIn(text)).toMatchObject({ code: 'expectation_failed' });
    await client.send('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n').until('ok');
  });

  it('says 100 to a client that waits for it', async () => {
    const client = await TcpPeer.to((await running()).url);
    client.send('POST /things/taken HTTP/1.1\r\nhost: x\r\nexpect: 100-Continue\r\ncontent-length: 2\r\n\r\n');
    await client.until('HTTP/1.1 100 Continue\r\n\r\n');
    await client.send('{}').until('taken');
  });

  it.each(['application/json', 'text/plain', undefined])(
    'leaves a body of type %s to whoever serves the route',
    async (type) => {
      const headers = type === undefined ? {} : { 'content-type': type };
      const body = new Blob(['{"broken']);
      const response = await fetch(`${(await running()).url}/things/taken`, { method: 'POST', body, headers });
      expect(await response.text()).toBe('taken');
    },
  );

  it('serves TLS where it is given certificates', async () => {
    const tls = await tlsOptions({ folder: '', minVersion: '', cipherSuites: [] });
    const { url } = await running({ tls });
    expect(url).toMatch(/^https:/);
    const status = await new Promise((resolve, reject) => {
      const options = { rejectUnauthorized: false, agent: false };
      httpsRequest(`${url}/healthz`, options, (response) => resolve(response.resume().statusCode))
        .once('error', reject)
        .end();
    });
    expect(status).toBe(200);
  });

  it('says nothing of the framework in the log', async () => {
    const lines: string[] = [];
    const app = await running({ lines });
    await fetch(`${app.url}/things/ours`);
    expect(lines).toEqual([]);
  });

  it.each([
    [{ readTimeout: 30_000 }, { head: 30_000, request: 30_000, idle: 30_000 }],
    [
      { readTimeout: 0, headTimeout: 5_000, idleTimeout: 300_000 },
      { head: 5_000, request: 0, idle: 300_000 },
    ],
  ])(
    'has a time for heads and one for idle connections of their own where they are said: %j',
    async (options, expected) => {
      const { headersTimeout, requestTimeout, keepAliveTimeout } = (await running(options)).app.getHttpServer();
      expect({ head: headersTimeout, request: requestTimeout, idle: keepAliveTimeout }).toEqual(expected);
    },
  );
});
