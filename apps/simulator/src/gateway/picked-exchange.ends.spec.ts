import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PickedGateway } from '../testing/picked-gateway.ts';
import { headersIn, headersReply, mutation, sendsTo } from '../testing/scripted-picker.ts';
import type { ScriptedStream } from '../testing/scripted-picker.ts';

describe('a call that ends otherwise than by its worker', () => {
  let gateway: PickedGateway;
  beforeAll(async () => {
    gateway = await PickedGateway.start();
  });
  beforeEach(() => {
    gateway.reset();
  });
  afterAll(() => gateway.close());

  it('answers in the place of a worker as the picker says, and logs that as a call of the phase', async () => {
    gateway.picker.script = (message, stream) => {
      if (message.request_body === undefined) return;
      stream.reply({
        immediate_response: {
          status: { code: 412 },
          headers: mutation({ 'x-llm-d-request-dropped-reason': 'cold' }),
          body: Buffer.from('not cached'),
        },
      });
      stream.end();
    };
    const reply = await gateway.call({ headers: { Prefer: 'if-available', 'x-request-id': 'own-1' } });
    expect([reply.statusCode, await reply.body.text()]).toEqual([412, 'not cached']);
    expect(reply.headers).toMatchObject({ 'content-type': 'text/plain', 'x-llm-d-request-dropped-reason': 'cold' });
    await gateway.simulation.requests.waitFor(({ requestId }) => requestId === 'own-1');
    expect(gateway.simulation.requests.all()).toMatchObject([
      { server: 'gateway', phase: 'probe', requestId: 'own-1', status: 412, outcome: 'complete' },
    ]);
  });

  it('answers 204 as the picker says, without a body or a word of one', async () => {
    gateway.picker.script = (message, stream) => {
      if (message.request_body === undefined) return;
      const headers = mutation({ 'x-llm-d-reserved-host-port': '10.0.0.1:8000' });
      stream.reply({ immediate_response: { status: { code: 204 }, headers, body: Buffer.alloc(0) } });
      stream.end();
    };
    const reply = await gateway.call({ headers: { Prefer: 'reserve-endpoint' } });
    expect([reply.statusCode, await reply.body.text()]).toEqual([204, '']);
    expect(reply.headers['x-llm-d-reserved-host-port']).toBe('10.0.0.1:8000');
    for (const name of ['content-type', 'content-length', 'transfer-encoding']) {
      expect(reply.headers).not.toHaveProperty(name);
    }
  });

  it.each([
    { what: 'fails', end: (stream: ScriptedStream) => stream.fail(status.UNKNOWN), why: 'gRPC status 2' },
    { what: 'ends the stream', end: (stream: ScriptedStream) => stream.end(), why: 'it ended the stream' },
  ])('is closed to calls while the picker $what: 503', async ({ end, why }) => {
    gateway.picker.script = (_message, stream) => end(stream);
    const reply = await gateway.call();
    expect([reply.statusCode, await reply.body.json()]).toMatchObject([
      503,
      { error: { message: expect.stringContaining(why) } },
    ]);
    expect(gateway.simulation.requests.phase('decode')).toMatchObject([{ server: 'gateway', status: 503 }]);
  });

  it('breaks off an answer that has begun when the picker fails', async () => {
    gateway.handle = (incoming, response) => {
      incoming.resume();
      response.write('half');
    };
    const script = sendsTo(gateway.destination);
    gateway.picker.script = (message, stream) => {
      script(message, stream);
      if (message.response_body !== undefined) stream.fail(status.UNAVAILABLE);
    };
    const reply = await gateway.call();
    await expect(reply.body.text()).rejects.toThrow();
  });

  it('says 503 where the picker names no endpoint, or one that nobody listens at, of which it hears', async () => {
    gateway.picker.script = sendsTo('');
    expect((await gateway.call()).statusCode).toBe(503);
    const own = { 'x-gateway-destination-endpoint': gateway.destination };
    gateway.picker.script = (message, stream) => {
      if (message.request_body !== undefined) stream.reply({ request_headers: headersReply({}) });
    };
    expect((await gateway.call({ headers: own })).statusCode).toBe(503);
    gateway.picker.script = sendsTo('127.0.0.1:1');
    const reply = await gateway.call();
    expect([reply.statusCode, await reply.body.text()]).toEqual([503, expect.stringContaining('127.0.0.1:1')]);
    const heard = gateway.picker.streams.at(-1)?.received.find((message) => message.response_headers);
    expect(headersIn(heard?.response_headers?.headers)[':status']).toBe('503');
  });

  it.each([
    { what: 'a header', answer: { 'x-two': 'a\nb' } },
    { what: 'a status', answer: { ':status': '99' } },
  ])('says 503 where the picker makes $what of an answer that HTTP does not know', async ({ answer }) => {
    const script = sendsTo(gateway.destination);
    gateway.picker.script = (message, stream) => {
      if (message.response_headers === undefined) script(message, stream);
      else stream.reply({ response_headers: headersReply(answer) });
    };
    expect((await gateway.call()).statusCode).toBe(503);
  });

  it.each(['before the picker has said anything', 'while the worker answers'])(
    'leaves picker and worker when the caller leaves %s',
    async (when) => {
      const begun = Promise.withResolvers<undefined>();
      const left = Promise.withResolvers<undefined>();
      if (when === 'while the worker answers') {
        gateway.handle = (incoming, response) => {
          incoming.resume();
          response.write('one', () => begun.resolve(undefined));
          response.once('close', () => left.resolve(undefined));
        };
      } else {
        gateway.picker.script = () => {
          begun.resolve(undefined);
          left.resolve(undefined);
        };
      }
      const caller = new AbortController();
      const reply = gateway.call({ signal: caller.signal }).then(({ body }) => body.text());
      await begun.promise;
      caller.abort();
      await expect(reply).rejects.toThrow();
      await gateway.stream.cancelled;
      await left.promise;
    },
  );

  it('breaks the connection when a worker breaks its own', async () => {
    gateway.handle = (incoming) => {
      incoming.socket.resetAndDestroy();
    };
    await expect(gateway.call()).rejects.toThrow();
    await gateway.stream.cancelled;
  });
});
