import { describe, expect, it } from '@jest/globals';
import { BadRequestError, UpstreamError } from '#foundation';
import { RawUpstream, TcpPeer, cleanup } from '#testing';
import { LAST_CHUNK, REQUEST, Relay, STREAM_HEAD, chunk, dechunked, decoded } from './relay.fixture.ts';
import type { RelayOptions } from './relay.fixture.ts';

const later = cleanup();

async function relayOf(options: RelayOptions): Promise<{ relay: Relay; client: TcpPeer }> {
  const relay = await Relay.start(options);
  later(() => relay.close());
  return { relay, client: await TcpPeer.to(relay.url) };
}

/** A relay of an upstream in the test's hands, once the upstream has the request. */
async function relayed(): Promise<{ relay: Relay; client: TcpPeer; worker: TcpPeer }> {
  const { promise, resolve } = Promise.withResolvers<TcpPeer>();
  const upstream = await RawUpstream.start(async (peer) => {
    await peer.until('{}');
    resolve(peer);
  });
  later(() => upstream.close());
  const made = await relayOf({ answer: (reply, gateway) => decoded(upstream.url, reply, gateway) });
  made.client.send(REQUEST);
  return { ...made, worker: await promise };
}

describe('ClientReply, relay', () => {
  it.each([
    ['a character of three bytes after its first', ['\xe4', '\xb8\xad']],
    ['a character of three bytes after its second', ['\xe4\xb8', '\xad']],
    ['an emoji after its first byte', ['\xf0', '\x9f\x98\x80']],
    ['an emoji after its second byte', ['\xf0\x9f', '\x98\x80']],
    ['an emoji after its third byte', ['\xf0\x9f\x98', '\x80']],
    ['a line end', ['x"}}]}\r', '\n\r\n']],
    ['the blank line', ['x"}}]}\n', '\n']],
  ])('is byte for byte, with %s cut by two deliveries', async (_where, [first, second]) => {
    const { client, worker } = await relayed();
    const parts = [`data: {"choices":[{"delta":{"content":"${first}`, `${second}"}}]}\n\ndata: [DONE]\n\n`];
    worker.send(STREAM_HEAD);
    for (const part of parts) {
      worker.send(chunk(part));
      await client.until(part.slice(-4));
    }
    worker.send(LAST_CHUNK);
    const { body, isWhole } = dechunked(await client.until(LAST_CHUNK));
    expect(body).toBe(parts.join(''));
    expect(isWhole).toBe(true);
  });

  it('hands over each event before the next one leaves the worker, and the head before the first', async () => {
    const { client, worker } = await relayed();
    worker.send(STREAM_HEAD);
    await client.until('\r\n\r\n');
    for (let event = 0; event < 10; event++) {
      worker.send(chunk(`data: ${event}\n\n`));
      await client.until(`data: ${event}\n\n`);
    }
    worker.send(LAST_CHUNK);
    const { chunks } = dechunked(await client.until(LAST_CHUNK));
    expect(chunks).toEqual(Array.from({ length: 10 }, (_, event) => `data: ${event}\n\n`));
  });

  it('does not wait for the end of a line, however long it is', async () => {
    const { client, worker } = await relayed();
    const piece = 'x'.repeat(16_384);
    worker.send(STREAM_HEAD).send(chunk('data: {"arguments":"'));
    await client.until('data: {"arguments":"');
    for (let count = 0; count < 128; count++) worker.send(chunk(piece));
    worker.send(chunk('"}\n\n')).send(LAST_CHUNK);
    const { body } = dechunked(await client.until(LAST_CHUNK));
    expect(body).toBe(`data: {"arguments":"${piece.repeat(128)}"}\n\n`);
  });

  it.each([
    { name: 'comments', body: ': ping\n\ndata: 1\n\n: note\ndata: 2\n\n' },
    { name: 'line ends of any kind, fields without a space', body: 'data:1\r\n\r\nid:7\rdata: 2\r\rdata: [DONE]\n\n' },
    { name: 'several events at once', body: 'data: stop\n\ndata: usage\n\ndata: [DONE]\n\n' },
    { name: 'what is no UTF-8', body: 'data: \xff\xfe\n\n' },
    { name: 'a last event without its blank line', body: 'data: 1\n\ndata: 2' },
  ])('leaves alone: $name', async ({ body }) => {
    const { client, worker } = await relayed();
    worker.send(STREAM_HEAD).send(chunk(body)).send(LAST_CHUNK);
    expect(dechunked(await client.until(LAST_CHUNK))).toMatchObject({ body, isWhole: true });
  });

  it('keeps status, length and headers of an answer that is none of a stream', async () => {
    const { client, worker } = await relayed();
    worker.send('HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 11\r\nx-request-id: w\r\n\r\n{"error":1}');
    const text = await client.until('{"error":1}');
    expect(text).toMatch(/^HTTP\/1\.1 429 /);
    expect(text).toContain('retry-after: 7\r\n');
    expect(text).toContain('content-length: 11\r\n');
    expect(text).not.toContain('transfer-encoding');
    expect(text.match(/x-request-id: .*/g)).toEqual(['x-request-id: req-1']);
  });

  it.each([204, 304])('has no body where %i has none', async (status) => {
    const { relay, client, worker } = await relayed();
    worker.send(`HTTP/1.1 ${status} Empty\r\nx-last: 1\r\n\r\n`);
    expect(await client.until('\r\n\r\n')).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\\r\\n\\r\\n$`));
    expect(await relay.end()).toBe('completed');
  });

  it('leaves a content coding and the bytes in it alone', async () => {
    const { client, worker } = await relayed();
    worker.send(STREAM_HEAD.replace('\r\n\r\n', '\r\ncontent-encoding: gzip\r\n\r\n'));
    worker.send(chunk('\x1f\x8b not really')).send(LAST_CHUNK);
    const { head, body } = dechunked(await client.until(LAST_CHUNK));
    expect(head).toContain('content-encoding: gzip');
    expect(body).toBe('\x1f\x8b not really');
  });

  it('hands over header values beyond ASCII as their bytes', async () => {
    const { client, worker } = await relayed();
    worker.send(Buffer.from('HTTP/1.1 200 OK\r\nx-name: caf\xc3\xa9\r\ncontent-length: 0\r\n\r\n', 'latin1'));
    expect(await client.until('\r\n\r\n')).toContain('x-name: caf\xc3\xa9\r\n');
  });

  it('sends an answer that is whole', async () => {
    const { relay, client } = await relayOf({
      answer: () => ({ status: 202, headers: { 'x-a': '1' }, body: [Buffer.from('ac'), Buffer.from('cepted')] }),
    });
    client.send(REQUEST);
    const text = await client.until('accepted');
    expect(text).toMatch(/^HTTP\/1\.1 202 /);
    expect(text).toContain('x-a: 1\r\nx-request-id: req-1\r\n');
    expect(await relay.end()).toBe('completed');
  });

  it('is completed once its last byte has left, on a connection that can be used again', async () => {
    const { relay, client, worker } = await relayed();
    expect(relay.lifecycle.inFlight).toBe(1);
    worker.send(STREAM_HEAD).send(chunk('data: 1\n\n')).send(LAST_CHUNK);
    expect(await relay.end()).toBe('completed');
    expect(relay.replies[0]?.facts).toMatchObject({ end: 'completed', status: 200, bytes: 9, isStream: true });
    expect(relay.replies[0]?.signal.aborted).toBe(false);
    expect(relay.lifecycle.inFlight).toBe(0);
    client.send(REQUEST);
    await worker.until('{}', 2);
    worker.send('HTTP/1.1 204 Done\r\n\r\n');
    await client.until('HTTP/1.1 204');
  });
});

describe('ClientReply, errors before the answer', () => {
  it('answers with the error, its headers and the id of the request', async () => {
    const { relay, client } = await relayOf({
      answer: () => Promise.reject(new UpstreamError('prefill', 503, { 'retry-after': '5' })),
    });
    client.send(REQUEST);
    const text = await client.until('}}');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 503 /);
    expect(head).toContain('\r\ncontent-type: application/json\r\n');
    expect(head).toContain('\r\nretry-after: 5\r\n');
    expect(head).toContain('\r\nx-request-id: req-1\r\n');
    expect(head).toContain(`\r\ncontent-length: ${body.length}\r\n`);
    expect(JSON.parse(body)).toEqual({
      error: {
        message: 'prefill failed: HTTP 503 (request_id: req-1)',
        type: 'api_error',
        param: null,
        code: 'upstream_failed',
      },
    });
    expect(await relay.end()).toBe('completed');
  });

  it('counts the length of an error in bytes', async () => {
    const { client } = await relayOf({ answer: () => Promise.reject(new BadRequestError('invalid_value', 'größe')) });
    client.send(REQUEST);
    const text = await client.until('}}');
    const body = text.slice(text.indexOf('\r\n\r\n') + 4);
    expect(text).toContain(`content-length: ${body.length}\r\n`);
  });

  it('answers once, whatever is said afterwards', async () => {
    const { relay, client } = await relayOf({ answer: () => Promise.reject(new UpstreamError('prefill', 422)) });
    client.send(REQUEST);
    const text = await client.until('}}');
    relay.replies[0]?.fail(new UpstreamError('decode', 500));
    client.send(REQUEST);
    await client.until('}}', 2);
    expect(client.text.slice(text.length)).toMatch(/^HTTP\/1\.1 422 /);
  });
});
