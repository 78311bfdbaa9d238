import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PickedGateway } from '../testing/picked-gateway.ts';
import { headersIn, headersReply, sendsTo, wholeBody } from '../testing/scripted-picker.ts';

describe('a call through an endpoint picker', () => {
  let gateway: PickedGateway;
  beforeAll(async () => {
    gateway = await PickedGateway.start();
  });
  beforeEach(() => {
    gateway.reset();
  });
  afterAll(() => gateway.close());

  it('tells it the head, the body in pieces and its end, over one stream for each call', async () => {
    const body = Buffer.alloc(200_000, 'x');
    const reply = await gateway.call({ path: '/v1/chat/completions?a=b', body, headers: { 'X-Mixed': 'Yes' } });
    expect(await reply.body.text()).toBe('served');
    const [head, ...rest] = gateway.stream.received;
    expect(headersIn(head?.request_headers?.headers)).toMatchObject({
      ':method': 'POST',
      ':path': '/v1/chat/completions?a=b',
      ':scheme': 'http',
      ':authority': new URL(gateway.url).host,
      'epp-profile': 'decode',
      'x-mixed': 'Yes',
      'x-request-id': expect.stringMatching(/./),
      'content-length': '200000',
    });
    expect(head?.request_headers?.end_of_stream).toBe(false);
    expect(wholeBody(gateway.stream).equals(body)).toBe(true);
    const pieces = rest.flatMap(({ request_body: piece }) => piece ?? []);
    expect(pieces.length).toBeGreaterThan(3);
    for (const piece of pieces) expect(piece.body?.length ?? 0).toBeLessThanOrEqual(62_000);
    expect(pieces.map(({ end_of_stream: isLast }) => isLast === true)).toEqual([
      ...pieces.slice(1).map(() => false),
      true,
    ]);
  });

  it('sends on what the picker makes of head and body, and says which worker served', async () => {
    const seen = Promise.withResolvers<{
      headers: IncomingMessage['headers'];
      url?: string | undefined;
      body: string;
    }>();
    gateway.handle = (incoming, response) => {
      void incoming.toArray().then((chunks: Buffer[]) => {
        seen.resolve({ headers: incoming.headers, url: incoming.url, body: Buffer.concat(chunks).toString() });
        response.end();
      });
    };
    gateway.picker.script = sendsTo(`${gateway.destination},10.0.0.1:8000`, {
      request: { 'x-prefiller-host-port': '10.0.0.2:1', 'Content-Length': '5', ':path': '/other', ':method': 'PUT' },
      removed: ['x-slo-ttft-ms', 'X-Not-There'],
      body: '{"b"}',
    });
    const reply = await gateway.call({ headers: { 'x-slo-ttft-ms': '5', 'x-own': 'v' } });
    expect(reply.headers['x-gateway-destination-endpoint-served']).toBe(gateway.destination);
    const { headers, url, body } = await seen.promise;
    expect({ url, body }).toEqual({ url: '/other', body: '{"b"}' });
    expect(headers).toMatchObject({
      'x-prefiller-host-port': '10.0.0.2:1',
      'x-own': 'v',
      'epp-profile': 'decode',
      'content-length': '5',
    });
    expect(headers).not.toHaveProperty('x-slo-ttft-ms');
  });

  it.each(['GET', 'HEAD'] as const)('asks about a %s, which has no body', async (method) => {
    gateway.handle = (_incoming, response) => response.writeHead(204, { 'x-worker': '1' }).end();
    const reply = await gateway.call({ method, path: '/v1/models' });
    expect([reply.statusCode, reply.headers['x-worker']]).toEqual([204, '1']);
    expect(gateway.stream.received.map((message) => Object.keys(message).filter((key) => key !== 'request'))).toEqual([
      ['request_headers'],
      ['response_headers'],
    ]);
    expect(gateway.stream.received[1]?.response_headers?.end_of_stream).toBe(true);
  });

  it('relays the head, each chunk and the trailers of an answer as the picker says', async () => {
    gateway.handle = (incoming, response) => {
      incoming.resume();
      response.writeHead(206, { 'Set-Cookie': ['a=1', 'b=2'], 'x-gone': '1', Trailer: 'x-sum' });
      response.write('one');
      response.addTrailers({ 'x-sum': '3' });
      response.end('two');
    };
    const script = sendsTo(gateway.destination);
    gateway.picker.script = (message, stream) => {
      if (message.response_headers === undefined) script(message, stream);
      else stream.reply({ response_headers: headersReply({ 'x-went-into-resp-headers': 'true' }, ['x-gone']) });
    };
    const reply = await gateway.call();
    expect(await reply.body.text()).toBe('onetwo');
    expect(reply.statusCode).toBe(206);
    expect(reply.headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-went-into-resp-headers': 'true' });
    expect(reply.headers).not.toHaveProperty('x-gone');
    expect(reply.trailers).toEqual({ 'x-sum': '3' });
    const told = gateway.stream.received;
    expect(headersIn(told.find((message) => message.response_headers)?.response_headers?.headers)).toMatchObject({
      ':status': '206',
      'x-gone': '1',
    });
    expect(headersIn(told.at(-1)?.response_trailers?.trailers)).toEqual({ 'x-sum': '3' });
  });

  it('passes each write on before the next one comes', async () => {
    const step = Promise.withResolvers<undefined>();
    gateway.handle = (incoming, response) => {
      incoming.resume();
      response.write('one');
      void step.promise.then(() => response.end('two'));
    };
    const chunks = (await gateway.call()).body[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe('one');
    step.resolve(undefined);
    expect(String((await chunks.next()).value)).toBe('two');
  });

  it('reads no more of an answer than a caller takes that does not read, and the rest when it does', async () => {
    const block = Buffer.alloc(256 * 1024);
    const stalled = Promise.withResolvers<number>();
    gateway.handle = (incoming, response) => {
      incoming.resume();
      let written = 0;
      const more = (): void => {
        for (written += block.length; response.write(block);) written += block.length;
        const timer = setTimeout(() => stalled.resolve(written), 300);
        response.once('drain', () => {
          clearTimeout(timer);
          more();
        });
      };
      more();
    };
    const reply = await gateway.call();
    const written = await stalled.promise;
    expect(written).toBeLessThan(50 * 1024 * 1024);
    let length = 0;
    for await (const chunk of reply.body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > written) break;
    }
    await gateway.stream.cancelled;
  });
});
