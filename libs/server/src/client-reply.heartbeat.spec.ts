import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { DrainingError, UpstreamError } from '#foundation';
import type { ClientResponse } from '#pipeline';
import { RawUpstream, TcpPeer, cleanup } from '#testing';
import { LAST_CHUNK, REQUEST, Relay, STREAM_HEAD, chunk, dechunked, decoded } from './relay.fixture.ts';

const BEAT = 100;
const PING = ': ping\n';
const later = cleanup();

/** A relay with a heartbeat, asked once. */
async function beating(answer: Parameters<typeof Relay.start>[0]['answer'], heartbeat = BEAT) {
  const relay = await Relay.start({ answer, heartbeat });
  later(() => relay.close());
  const client = await TcpPeer.to(relay.url);
  return { relay, client: client.send(REQUEST) };
}

/** The same, of an upstream in the test's hands, once the upstream has the request. */
async function relayed(heartbeat = BEAT) {
  const { promise, resolve } = Promise.withResolvers<TcpPeer>();
  const upstream = await RawUpstream.start(async (peer) => {
    await peer.until('{}');
    resolve(peer);
  });
  later(() => upstream.close());
  const made = await beating((reply, gateway) => decoded(upstream.url, reply, gateway), heartbeat);
  return { ...made, worker: await promise };
}

describe('ClientReply, heartbeat', () => {
  it('sends the head with the first beat, which is one comment line without a blank one', async () => {
    const { client } = await relayed();
    const { head, chunks } = dechunked(await client.until(PING));
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toContain('\r\ncontent-type: text/event-stream\r\n');
    expect(head).toContain('\r\nx-request-id: req-1\r\n');
    expect(chunks).toEqual([PING]);
  });

  it('says nothing before the first beat is due', async () => {
    const begun = performance.now();
    const { client } = await relayed();
    await client.until('HTTP');
    expect(performance.now() - begun).toBeGreaterThan(BEAT - 2);
  });

  it('beats once in each interval of silence', async () => {
    const { client } = await relayed();
    await client.until(PING);
    const begun = performance.now();
    await client.until(PING, 4);
    expect(performance.now() - begun).toBeGreaterThan(2 * BEAT);
  });

  it('goes on with what the worker says, and ends as it ends', async () => {
    const { relay, client, worker } = await relayed();
    await client.until(PING);
    worker.send(STREAM_HEAD).send(chunk('id: 1\ndata: 1\n\n')).send(LAST_CHUNK);
    const { body, isWhole } = dechunked(await client.until(LAST_CHUNK));
    expect(body.replaceAll(PING, '')).toBe('id: 1\ndata: 1\n\n');
    expect(isWhole).toBe(true);
    expect(await relay.end()).toBe('completed');
    await delay(2 * BEAT);
    expect(client.text.endsWith(LAST_CHUNK)).toBe(true);
  });

  it('beats in the silences of a stream that has begun, and begins anew with every part', async () => {
    const { client, worker } = await relayed(5 * BEAT);
    worker.send(STREAM_HEAD);
    for (let event = 0; event < 7; event++) {
      worker.send(chunk(`data: ${event}\n\n`));
      await delay(BEAT);
    }
    expect(client.text).not.toContain(PING);
    await client.until(PING);
  });

  it.each([
    ['in the middle of a line', 'data: {"a'],
    ['between the lines of an event', 'id: 1\n'],
    ['after a comment of the worker', ': note\n'],
  ])('never beats %s', async (_where, half) => {
    const { client, worker } = await relayed();
    worker.send(STREAM_HEAD).send(chunk(half));
    await client.until(half);
    await delay(3 * BEAT);
    expect(client.text).not.toContain(PING);
    worker.send(chunk('data: 2\n\n'));
    expect(dechunked(await client.until(PING)).body).toBe(`${half}data: 2\n\n${PING}`);
  });

  it('passes what the worker says to keep the connection, as it is', async () => {
    const { client, worker } = await relayed();
    worker.send(STREAM_HEAD).send(chunk(': ping\n\n')).send(LAST_CHUNK);
    expect(dechunked(await client.until(LAST_CHUNK)).body).toBe(': ping\n\n');
  });

  it.each([
    { name: 'JSON', head: STREAM_HEAD.replace('text/event-stream', 'application/json') },
    { name: 'a coded stream', head: STREAM_HEAD.replace('\r\n\r\n', '\r\ncontent-encoding: gzip\r\n\r\n') },
    {
      name: 'a stream of announced length',
      head: 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\n',
    },
  ])('does not beat into $name', async ({ head }) => {
    const { client, worker } = await relayed();
    worker.send(head);
    await client.until('\r\n\r\n');
    await delay(3 * BEAT);
    expect(client.text).not.toContain('ping');
  });

  it('is off where its interval is 0', async () => {
    const { client } = await relayed(0);
    await delay(3 * BEAT);
    expect(client.text).toBe('');
  });

  it('leaves a failure before the first beat its status and headers', async () => {
    const { client } = await beating(() => Promise.reject(new UpstreamError('decode', 503, { 'retry-after': '5' })));
    const text = await client.until('}}');
    expect(text).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 5\r\n/);
    await delay(2 * BEAT);
    expect(client.text).toBe(text);
  });

  it.each<[string, () => Promise<ClientResponse>, string]>([
    ['a failed step', () => Promise.reject(new UpstreamError('prefill', 429)), 'upstream_rejected'],
    ['a fault of ours', () => Promise.reject(new TypeError('boom')), 'internal'],
    ['the end of the process', () => Promise.reject(new DrainingError()), 'draining'],
    ['a refusal of the worker', () => Promise.resolve({ status: 503, headers: {}, body: [] }), 'upstream_failed'],
    [
      'an answer that is no stream',
      () =>
        Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body: [Buffer.from('{}')] }),
      'internal',
    ],
  ])('tells %s after the first beat in one last event, and cuts the connection', async (_what, outcome, code) => {
    const failing = Promise.withResolvers<undefined>();
    const { client } = await beating(() => failing.promise.then(outcome));
    await client.until(PING);
    failing.resolve(undefined);
    const { body, isWhole } = dechunked(await client.rest());
    const event = body.replaceAll(PING, '');
    expect(event).toMatch(/^data: .*\n\n$/);
    expect(JSON.parse(event.slice('data: '.length))).toMatchObject({ error: { code } });
    expect(isWhole).toBe(false);
    expect(client.text).not.toContain('[DONE]');
  });

  it('relays no answer of the worker other than 200 behind a beat', async () => {
    const { client, worker } = await relayed();
    await client.until(PING);
    worker.send('HTTP/1.1 503 No\r\ncontent-length: 6\r\n\r\nsecret');
    const text = await client.rest();
    expect(text).toContain('decode failed: HTTP 503 (request_id: req-1)');
    expect(text).not.toContain('secret');
  });

  it('does not pile beats up for a client that takes nothing', async () => {
    const events = 'data: {"choices":[]}\n\n'.repeat(300_000);
    const whole: ClientResponse = {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: {
        observe: () => undefined,
        discard: () => undefined,
        pipe: (sink) => new Promise((resolve) => sink.write(Buffer.from(events), resolve)),
      },
    };
    const { client } = await beating(() => whole, 20);
    client.socket.pause();
    await delay(500);
    client.socket.resume();
    expect(dechunked(await client.until(LAST_CHUNK)).body === events).toBe(true);
  });
});
