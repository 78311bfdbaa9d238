import { describe, expect, it } from '@jest/globals';
import { BadRequestError } from '#foundation';
import { FakeUpstream, RawUpstream, cleanup } from '#testing';
import type { ConnectionScript, Handler } from '#testing';
import { aCall, aClient, aScope, answer, failureOf, textOf } from './upstream.fixture.ts';

const later = cleanup();

function client(...options: Parameters<typeof aClient>) {
  const made = aClient(...options);
  later(() => made.onApplicationShutdown());
  return made;
}

async function raw(script: ConnectionScript): Promise<RawUpstream> {
  const upstream = await RawUpstream.start(script);
  later(() => upstream.close());
  return upstream;
}

async function fake(handler: Handler): Promise<FakeUpstream> {
  const upstream = await FakeUpstream.start(handler);
  later(() => upstream.close());
  return upstream;
}

/** The values of a header in raw request text. */
function valuesIn(text: string, name: string): string[] {
  const head = text.split('\r\n\r\n', 1)[0] ?? '';
  return head
    .split('\r\n')
    .flatMap((line) => (line.toLowerCase().startsWith(`${name}: `) ? line.slice(name.length + 2) : []));
}

async function* chunks(...parts: readonly string[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield await Promise.resolve(Buffer.from(part));
}

describe('UpstreamClient', () => {
  describe('a request on the wire', () => {
    /** What a call sends, up to the mark in its body. */
    async function sent(changes: Parameters<typeof aCall>[1], mark = '{"a":1}', base = ''): Promise<string> {
      const upstream = await raw(async (peer) => {
        await peer.until(mark);
        peer.send(answer());
      });
      await textOf(await client().send(aCall(upstream.url + base, changes)));
      return upstream.peers[0]?.text ?? '';
    }

    it('has the method, the path behind the base, and the host of the base', async () => {
      const text = await sent({ method: 'PATCH', path: '/v1/x?a=%20b' }, undefined, '/prefix');
      expect(text).toMatch(/^PATCH \/prefix\/v1\/x\?a=%20b HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/);
    });

    it('has the headers as they are given, each once', async () => {
      const text = await sent({ headers: ['content-type', 'application/json', 'x-a', 'b\xe9'] });
      expect(valuesIn(text, 'content-type')).toEqual(['application/json']);
      expect(valuesIn(text, 'x-a')).toEqual(['b\xe9']);
    });

    it.each([
      { name: 'one part', parts: ['{"a":"é"}'] },
      { name: 'several parts', parts: ['{"a":', '', '"é"', '}'] },
      { name: '64 KiB, which are joined', parts: ['{"a":"', 'x'.repeat(64 * 1024 - 8), '"}'] },
      { name: 'one byte more, which are listed', parts: ['{"a":"', 'x'.repeat(64 * 1024 - 7), '"}'] },
      { name: 'an empty part among large ones', parts: ['{"a":"', 'é'.repeat(50_000), '', 'x'.repeat(50_000), '"}'] },
    ])('has the body byte for byte under one content-length in bytes: $name', async ({ parts }) => {
      const text = await sent({ body: parts.map((part) => Buffer.from(part)) }, '"}');
      const bytes = Buffer.from(parts.join(''));
      expect(valuesIn(text, 'content-length')).toEqual([String(bytes.length)]);
      expect(valuesIn(text, 'transfer-encoding')).toEqual([]);
      expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(bytes.toString('latin1'));
    });

    it.each([
      ['POST', ['0']],
      ['GET', []],
    ])('%s without a body has content-length %p', async (method, expected) => {
      const text = await sent({ method, body: undefined }, '\r\n\r\n');
      expect(valuesIn(text, 'content-length')).toEqual(expected);
    });

    it.each(['GET', 'DELETE'])('a %s may have a body', async (method) => {
      const text = await sent({ method });
      expect(valuesIn(text, 'content-length')).toEqual(['7']);
    });

    it('has a body that arrives while it is sent in chunks', async () => {
      const text = await sent({ body: chunks('ab', 'cde') }, '\r\n0\r\n\r\n');
      expect(valuesIn(text, 'transfer-encoding')).toEqual(['chunked']);
      expect(valuesIn(text, 'content-length')).toEqual([]);
      expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe('2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n');
    });

    it('has such a body under its content-length where that is known', async () => {
      const text = await sent({ body: chunks('ab', 'cde'), headers: ['content-length', '5'] }, 'abcde');
      expect(valuesIn(text, 'content-length')).toEqual(['5']);
      expect(valuesIn(text, 'transfer-encoding')).toEqual([]);
    });

    it('carries the trace context of its scope, each header once, and what an interceptor puts in its place', async () => {
      const trace = {
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
        tracestate: 'a=1',
        baggage: 'b=2',
      };
      const text = await sent({ scope: aScope({ trace }) });
      for (const [name, value] of Object.entries(trace)) expect(valuesIn(text, name)).toEqual([value]);
      expect(valuesIn(await sent({}), 'traceparent')).toEqual([]);

      const upstream = await fake((_request, response) => void response.end());
      const own = '00-0af7651916cd43dd8448eb211c80319c-1111111111111111-01';
      const traced = client({}, [
        {
          intercept(attempt, next) {
            attempt.trace = { traceparent: own };
            return next();
          },
        },
      ]);
      await textOf(await traced.send(aCall(upstream.url, { scope: aScope({ trace }) })));
      expect(upstream.requests[0]?.headers).toMatchObject({ traceparent: own });
      expect(upstream.requests[0]?.headers).not.toHaveProperty('tracestate');
    });
  });

  describe('an answer', () => {
    it.each([200, 204, 304, 307, 404, 412, 503])(
      'of status %i is handed over as it is, and not followed',
      async (status) => {
        const upstream = await fake((_request, response) => {
          response.writeHead(status, { location: '/elsewhere' }).end();
        });
        const reply = await client().send(aCall(upstream.url));
        await textOf(reply);
        expect(reply).toMatchObject({ status, headers: { location: '/elsewhere' } });
        expect(upstream.requests).toHaveLength(1);
      },
    );

    it('has its headers in lower case, repeated ones as a list, bytes beyond ASCII one character each', async () => {
      const upstream = await raw(async (peer) => {
        await peer.until('{"a":1}');
        peer.send(
          Buffer.from('HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\nX-B: caf\xc3\xa9\r\ncontent-length: 0\r\n\r\n', 'latin1'),
        );
      });
      const { headers } = await client().send(aCall(upstream.url));
      expect(headers).toMatchObject({ 'x-a': ['1', '2'], 'x-b': 'caf\xc3\xa9' });
    });

    it('is not taken out of its content coding', async () => {
      const upstream = await fake((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('not really gzip');
      });
      expect(await textOf(await client().send(aCall(upstream.url)))).toBe('not really gzip');
    });

    it.each([
      { name: 'announced', bytes: answer('a\xe9') },
      {
        name: 'chunked',
        bytes: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\n\xe9\r\n0\r\n\r\n',
      },
      { name: 'up to the end of the connection', bytes: 'HTTP/1.1 200 OK\r\n\r\na\xe9' },
      { name: 'of HTTP/1.0', bytes: 'HTTP/1.0 200 OK\r\n\r\na\xe9' },
    ])('has its body whole, however it is framed: $name', async ({ bytes }) => {
      const upstream = await raw(async (peer) => {
        await peer.until('{"a":1}');
        peer.send(Buffer.from(bytes, 'latin1')).end();
      });
      expect(await textOf(await client().send(aCall(upstream.url)))).toBe('a\xe9');
    });

    it.each([102, 103])('follows an interim %i, which is ignored', async (status) => {
      const upstream = await raw(async (peer) => {
        await peer.until('{"a":1}');
        peer.send(`HTTP/1.1 ${status} Wait\r\nx-early: 1\r\n\r\n`).send(answer('late'));
      });
      const reply = await client().send(aCall(upstream.url));
      expect(reply.status).toBe(200);
      expect(reply.headers).not.toHaveProperty('x-early');
      expect(await textOf(reply)).toBe('late');
    });

    it('is there at its head, before its body', async () => {
      const upstream = await raw(async (peer) => {
        await peer.until('{"a":1}');
        peer.send('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n');
      });
      const reply = await client().send(aCall(upstream.url));
      upstream.peers[0]?.send('body');
      expect(await textOf(reply)).toBe('body');
    });

    it('may come before the request was sent whole', async () => {
      const upstream = await raw(async (peer) => {
        await peer.until('first');
        peer.send(answer('enough', 'HTTP/1.1 413 No'));
      });
      const rest = Promise.withResolvers<undefined>();
      async function* body(): AsyncGenerator<Buffer> {
        yield Buffer.from('first');
        await rest.promise;
      }
      const reply = await client().send(aCall(upstream.url, { body: body() }));
      expect([reply.status, await textOf(reply)]).toEqual([413, 'enough']);
      rest.resolve(undefined);
    });

    it.each([
      { name: 'an announced body that is cut', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf' },
      {
        name: 'a chunked body that is cut',
        bytes: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n',
      },
      { name: 'a chunk that is cut', bytes: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf' },
      {
        name: 'a chunked body that is cut on a connection that was to close',
        bytes: 'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n',
      },
    ])('is never taken for complete where it is not: $name', async ({ bytes }) => {
      const upstream = await raw(async (peer) => {
        await peer.until('{"a":1}');
        peer.send(bytes).end();
      });
      const reply = await client().send(aCall(upstream.url));
      expect(await failureOf(textOf(reply))).toMatchObject({ name: 'UpstreamConnectionError', reason: 'reset' });
    });

    it.each(['garbage\r\n\r\n', 'HTTP/1.1 xx\r\n\r\n', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n'])(
      'that is not HTTP is a broken connection: %p',
      async (bytes) => {
        const upstream = await raw(async (peer) => {
          await peer.until('{"a":1}');
          peer.send(bytes);
        });
        const failure = await failureOf(client().send(aCall(upstream.url)));
        expect(failure).toMatchObject({ name: 'UpstreamConnectionError', status: 502, isRepeatable: false });
        expect(upstream.peers).toHaveLength(1);
      },
    );
  });

  it('fails with what is wrong with a body that arrives, where that is an error of ours', async () => {
    const upstream = await raw(() => undefined);
    const tooLarge = new BadRequestError('body_too_large', 'too large');
    async function* body(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from('first'));
      throw tooLarge;
    }
    expect(await failureOf(client().send(aCall(upstream.url, { body: body() })))).toBe(tooLarge);
    await upstream.peers[0]?.closed;
  });
});
