import { ExchangeObservers } from '#scheduling';
import { describe, expect, it } from '@jest/globals';
import { credentials, status } from '@grpc/grpc-js';
import { cleanup } from '#testing';
import {
  CHAT,
  RecordingObserver,
  STREAMED_CHAT,
  requestBody,
  requestHeaders,
  responseBody,
  responseHeaders,
  subset,
  written,
} from './exchange.fixture.ts';
import { EnvoyStream, aRunningEpp, extProcClient } from '../epp.fixture.ts';
import { InFlightRecord } from '../picker.fixture.ts';
import type { EppInside } from '../start.ts';

const HEADERS = requestHeaders({ ':path': '/v1/chat/completions' });

class OneObserver extends ExchangeObservers {
  readonly seen = new RecordingObserver();

  open(): RecordingObserver {
    return this.seen;
  }
}

describe('ExtProcService', () => {
  const closing = cleanup();

  async function open(flags: readonly string[] = [], channelOptions: Readonly<Record<string, number>> = {}) {
    const observers = new OneObserver();
    const inside: EppInside[] = [];
    const epp = await aRunningEpp(flags, {
      observe: () => observers,
      companions: [
        (parts) => {
          inside.push(parts);
          return { close: () => undefined };
        },
      ],
    });
    const client = extProcClient(epp.port, credentials.createInsecure(), channelOptions);
    closing(() => epp.drain.run('SIGTERM'));
    closing(() => client.close());
    const inFlight = inside[0]?.picker.plugins.find(({ name }) => name === 'inflight-load-producer')?.plugin;
    if (!(inFlight instanceof InFlightRecord)) throw new Error('no record');
    return { client, inFlight, seen: observers.seen, epp };
  }

  it('carries a whole exchange', async () => {
    const { client, inFlight, seen } = await open();
    const stream = EnvoyStream.open(client);
    stream.say(HEADERS, requestBody(CHAT.slice(0, 9), false), requestBody(CHAT.slice(9), true));
    await stream.has(2);
    const [headers, body] = stream.received;
    expect(written(headers?.request_headers?.response.header_mutation)).toMatchObject({
      'x-gateway-destination-endpoint': '10.0.0.1:8000',
    });
    expect(body?.request_body?.response.body_mutation.streamed_response).toEqual({
      body: Buffer.from(CHAT),
      end_of_stream: true,
    });
    stream.say(responseHeaders({}), responseBody('{"usage":{"prompt_tokens":1}}', true));
    await stream.has(4);
    stream.call.end();
    expect(await stream.ended).toMatchObject({ code: status.OK });
    expect(inFlight.ends).toEqual(['natural']);
    expect(seen.usages).toEqual([{ inputTokens: 1, outputTokens: undefined, cachedTokens: undefined }]);
  });

  it('reads the hint of a metadata struct off the wire', async () => {
    const { client } = await open();
    const stream = EnvoyStream.open(client);
    stream.say(HEADERS, requestBody(CHAT, true, subset(['10.9.9.9:1'])));
    expect(await stream.ended).toMatchObject({ code: status.OK });
    expect(stream.received[0]?.immediate_response?.body.toString()).toContain('ServiceUnavailable');
  });

  it('closes the stream behind an answer of its own', async () => {
    const { client } = await open();
    const stream = EnvoyStream.open(client);
    stream.say(HEADERS, requestBody('{', true));
    expect(await stream.ended).toMatchObject({ code: status.OK });
    expect(stream.received).toHaveLength(1);
  });

  it('lets go of the endpoint when the client goes in the middle of an answer', async () => {
    const { client, inFlight, seen } = await open();
    const stream = EnvoyStream.open(client);
    stream.say(HEADERS, requestBody(STREAMED_CHAT, true), responseHeaders({}), responseBody('data: 1\n\n'));
    await stream.has(4);
    expect(inFlight.inFlight).toBe(1);
    const isOver = new Promise((resolve) => {
      seen.ended = resolve;
    });
    stream.call.cancel();
    expect(await isOver).toBe('client_disconnect');
    expect(inFlight).toMatchObject({ inFlight: 0, ends: ['client_disconnect'] });
  });

  it('takes a stream that ends too early for an error', async () => {
    const { client, inFlight } = await open();
    const stream = EnvoyStream.open(client);
    stream.say(HEADERS, requestBody(CHAT, true));
    await stream.has(2);
    stream.call.end();
    expect(await stream.ended).toMatchObject({ code: status.OK });
    expect(inFlight.ends).toEqual(['error']);
  });

  it('ends with UNKNOWN, and says nothing of the request, where it fails itself', async () => {
    const { client } = await open();
    const stream = EnvoyStream.open(client);
    stream.say(requestBody(CHAT, true));
    expect(await stream.ended).toEqual({ code: status.UNKNOWN, details: 'the exchange failed' });
  });

  it('carries 4 MiB in pieces to a peer that reads slowly, whole and in order', async () => {
    const { client } = await open();
    const stream = EnvoyStream.open(client);
    const body = Buffer.from(`{"model":"m","messages":"${'0123456789abcdef'.repeat(2 ** 18)}"}`);
    stream.say(HEADERS);
    for (let start = 0; start < body.length; start += 65_536) {
      stream.say(requestBody(body.subarray(start, start + 65_536), false));
    }
    stream.say({ request_body: { end_of_stream: true } });
    await stream.has(1);
    stream.call.pause();
    await new Promise(setImmediate);
    stream.call.resume();
    await stream.has(1 + Math.ceil(body.length / 62_000));
    const pieces = stream.received.slice(1).map((sent) => sent.request_body?.response.body_mutation.streamed_response);
    expect(Buffer.concat(pieces.map((piece) => piece?.body ?? Buffer.alloc(0))).equals(body)).toBe(true);
    expect(pieces.filter((piece) => piece?.end_of_stream)).toHaveLength(1);
  });

  it('takes messages that are compressed with gzip', async () => {
    const { client } = await open([], { 'grpc.default_compression_algorithm': 2 });
    const stream = EnvoyStream.open(client);
    stream.say(HEADERS, requestBody(CHAT, true));
    await stream.has(2);
    expect(stream.received[1]?.request_body).toBeDefined();
    stream.call.end();
  });

  it('refuses a message above --grpc-max-recv-msg-size', async () => {
    const { client } = await open(['--grpc-max-recv-msg-size=1KiB']);
    const stream = EnvoyStream.open(client);
    stream.say(HEADERS, requestBody('x'.repeat(2000), true));
    expect(await stream.ended).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  it('serves many streams at once', async () => {
    const { client } = await open();
    const streams = Array.from({ length: 200 }, () => EnvoyStream.open(client));
    for (const stream of streams) stream.say(HEADERS, requestBody(CHAT, true));
    await Promise.all(streams.map((stream) => stream.has(2)));
    for (const stream of streams) stream.call.end();
    const ends = await Promise.all(streams.map(({ ended }) => ended));
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set([status.OK]));
  });
});
