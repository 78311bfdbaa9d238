import { describe, expect, it } from '@jest/globals';
import { UpstreamConnectionError } from '#foundation';
import { RawUpstream, TcpPeer, cleanup } from '#testing';
import { LAST_CHUNK, REQUEST, Relay, STREAM_HEAD, chunk, dechunked, decoded } from './relay.fixture.ts';
import type { RelayOptions } from './relay.fixture.ts';

const later = cleanup();

/** A relay of an upstream in the test's hands, once the upstream has the request. */
async function relayed(): Promise<{ relay: Relay; client: TcpPeer; worker: TcpPeer }> {
  const { promise, resolve } = Promise.withResolvers<TcpPeer>();
  const upstream = await RawUpstream.start(async (peer) => {
    await peer.until('{}');
    resolve(peer);
  });
  later(() => upstream.close());
  const relay = await Relay.start({ answer: (reply, gateway) => decoded(upstream.url, reply, gateway) });
  later(() => relay.close());
  const client = await TcpPeer.to(relay.url);
  return { relay, client: client.send(REQUEST), worker: await promise };
}

const EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n';
const ERROR_EVENT = `data: ${JSON.stringify({
  error: {
    message: 'decode broke the connection (request_id: req-1)',
    type: 'api_error',
    param: null,
    code: 'upstream_unreachable',
  },
})}\n\n`;

const BREAKS: [string, (worker: TcpPeer) => void][] = [
  ['resets the connection', (worker) => worker.reset()],
  ['closes it', (worker) => worker.end()],
];

describe.each(BREAKS)('ClientReply, where the worker %s', (_how, breakIt) => {
  it.each([
    { name: 'between two events', sent: EVENT.repeat(3) },
    { name: 'between two events that end with CR LF', sent: 'data: 1\r\n\r\n' },
    { name: 'between two events that end with CR', sent: 'data: 1\r\r' },
    { name: 'after a comment and its blank line', sent: ': ping\n\n' },
    { name: 'before the first event', sent: '' },
  ])('tells the client in one last event, and cuts the connection: $name', async ({ sent }) => {
    const { relay, client, worker } = await relayed();
    worker.send(STREAM_HEAD);
    if (sent !== '') worker.send(chunk(sent));
    await client.until(sent === '' ? '\r\n\r\n' : sent);
    breakIt(worker);
    const { body, isWhole } = dechunked(await client.rest());
    expect(body).toBe(sent + ERROR_EVENT);
    expect(isWhole).toBe(false);
    expect(await relay.end()).toBe('upstream_reset');
  });

  it.each([
    { name: 'in the middle of a line', sent: `${EVENT}data: {"choi` },
    { name: 'after a line that is no blank one', sent: `${EVENT}data: {}\n` },
    { name: 'after a comment without its blank line', sent: ': note\n' },
    { name: 'in the middle of a character', sent: `${EVENT}data: \xe4` },
  ])('only cuts the connection: $name', async ({ sent }) => {
    const { relay, client, worker } = await relayed();
    worker.send(STREAM_HEAD).send(chunk(sent));
    await client.until(sent);
    breakIt(worker);
    expect(dechunked(await client.rest())).toMatchObject({ body: sent, isWhole: false });
    expect(await relay.end()).toBe('upstream_reset');
  });

  it.each([
    {
      name: 'announced',
      head: 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n',
      sent: '{"choi',
    },
    {
      name: 'chunked',
      head: STREAM_HEAD.replace('text/event-stream', 'application/json'),
      sent: chunk('{"choi').toString(),
    },
    {
      name: 'a coded stream',
      head: STREAM_HEAD.replace('\r\n\r\n', '\r\ncontent-encoding: gzip\r\n\r\n'),
      sent: chunk('{"choi').toString(),
    },
    {
      name: 'a stream of announced length',
      head: 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\n',
      sent: EVENT.slice(-1) + EVENT.slice(-1) + '{"choi\n\n',
    },
  ])('only cuts the connection in a body that nothing can be added to: $name', async ({ head, sent }) => {
    const { relay, client, worker } = await relayed();
    worker.send(head + sent);
    const text = await client.until('{"choi');
    breakIt(worker);
    expect(await client.rest()).toBe(text);
    expect(await relay.end()).toBe('upstream_reset');
  });

  it('answers 502 where nothing was sent yet', async () => {
    const { relay, client, worker } = await relayed();
    breakIt(worker);
    expect(await client.until('}}')).toMatch(/^HTTP\/1\.1 502 [^]*"decode broke the connection \(request_id: req-1\)"/);
    expect(await relay.end()).toBe('completed');
  });

  it('never says [DONE] or how a choice finished', async () => {
    const { client, worker } = await relayed();
    worker.send(STREAM_HEAD).send(chunk('data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n'));
    await client.until('assistant');
    breakIt(worker);
    const text = await client.rest();
    expect(text).not.toContain('[DONE]');
    expect(text).not.toContain('finish_reason');
  });
});

describe('ClientReply, last words to a client that is behind', () => {
  const EVENTS = Buffer.from(EVENT.repeat(160_000));
  const answer: RelayOptions['answer'] = () => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: {
      observe: () => undefined,
      discard: () => undefined,
      pipe(sink) {
        sink.write(EVENTS, () => undefined);
        return Promise.reject(new UpstreamConnectionError('decode', 'reset'));
      },
    },
  });

  async function broken(): Promise<{ relay: Relay; client: TcpPeer }> {
    const relay = await Relay.start({ answer });
    later(() => relay.close());
    return { relay, client: await TcpPeer.to(relay.url) };
  }

  it('come after all that it has still to get', async () => {
    const { client } = await broken();
    const { body } = dechunked(await client.send(REQUEST).rest());
    expect(body.length).toBe(EVENTS.length + ERROR_EVENT.length);
    expect(body.endsWith(EVENT + ERROR_EVENT)).toBe(true);
  });

  it('are given up after a second', async () => {
    const { relay, client } = await broken();
    client.send(REQUEST).socket.pause();
    const begun = performance.now();
    while (relay.replies.length === 0) await new Promise(setImmediate);
    expect(await relay.end()).toBe('upstream_reset');
    expect(performance.now() - begun).toBeGreaterThan(950);
  });
});

describe('ClientReply, broken off by the process', () => {
  const DRAINING = 'the service is shutting down (request_id: req-1)';

  it('answers 503 where nothing was sent yet, on a connection that it closes, and gives the upstream up', async () => {
    const { relay, client, worker } = await relayed();
    relay.lifecycle.advance('closing');
    relay.lifecycle.breakOffAll();
    const text = await client.rest();
    expect(text).toMatch(/^HTTP\/1\.1 503 [^]*\r\nconnection: close\r\n/i);
    expect(text).toContain(DRAINING);
    await worker.closed;
  });

  it('ends a stream that is between events with the reason, cuts it, and gives the upstream up', async () => {
    const { relay, client, worker } = await relayed();
    worker.send(STREAM_HEAD).send(chunk(EVENT));
    await client.until(EVENT);
    relay.lifecycle.breakOffAll();
    const { body, isWhole } = dechunked(await client.rest());
    expect(body.slice(0, EVENT.length)).toBe(EVENT);
    expect(JSON.parse(body.slice(`${EVENT}data: `.length))).toMatchObject({
      error: { code: 'draining', message: DRAINING },
    });
    expect(isWhole).toBe(false);
    expect(await relay.end()).toBe('drained');
    await worker.closed;
  });

  it('cuts a stream in the middle of an event', async () => {
    const { relay, client, worker } = await relayed();
    worker.send(STREAM_HEAD).send(chunk('data: {'));
    await client.until('data: {');
    relay.lifecycle.breakOffAll();
    expect(dechunked(await client.rest()).body).toBe('data: {');
    expect(await relay.end()).toBe('drained');
    await worker.closed;
  });

  it('leaves an answer alone that is complete', async () => {
    const { relay, client, worker } = await relayed();
    worker.send(STREAM_HEAD).send(chunk(EVENT)).send(LAST_CHUNK);
    expect(await relay.end()).toBe('completed');
    relay.lifecycle.breakOffAll();
    relay.replies[0]?.breakOff();
    client.send(REQUEST);
    await worker.until('{}', 2);
    expect(dechunked(client.text)).toMatchObject({ body: EVENT, isWhole: true });
  });

  it('tells clients to close their connection once nothing new is begun', async () => {
    const { relay, client, worker } = await relayed();
    relay.lifecycle.advance('closing');
    worker.send(STREAM_HEAD).send(chunk(EVENT)).send(LAST_CHUNK);
    expect(dechunked(await client.rest())).toMatchObject({
      head: expect.stringMatching(/\r\nconnection: close\r\n/i),
      isWhole: true,
    });
  });
});
