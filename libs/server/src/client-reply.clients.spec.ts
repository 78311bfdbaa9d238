import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientResponse } from '#pipeline';
import { RawUpstream, TcpPeer, cleanup } from '#testing';
import { LAST_CHUNK, REQUEST, Relay, STREAM_HEAD, chunk, decoded } from './relay.fixture.ts';
import type { WriteLimits } from './write-guard.ts';

const MIB = 1024 * 1024;
const later = cleanup();

/** A relay of an upstream in the test's hands, once the upstream has the request. */
async function relayed(limits: Partial<WriteLimits> = {}) {
  const { promise, resolve } = Promise.withResolvers<TcpPeer>();
  const upstream = await RawUpstream.start(async (peer) => {
    await peer.until('{}');
    resolve(peer);
  });
  later(() => upstream.close());
  const relay = await Relay.start({ answer: (reply, gateway) => decoded(upstream.url, reply, gateway), limits });
  later(() => relay.close());
  const client = await TcpPeer.to(relay.url);
  return { relay, client: client.send(REQUEST), worker: await promise };
}

/** Sends as fast as it is taken, until nothing is taken for a while or `total` bytes are out; gives the bytes. */
async function pour(worker: TcpPeer, total: number): Promise<number> {
  const piece = chunk('x'.repeat(65_536));
  let sent = 0;
  while (sent < total) {
    sent += 65_536;
    if (worker.socket.write(piece)) continue;
    const isTaken = await Promise.race([
      once(worker.socket, 'drain').then(
        () => true,
        () => false,
      ),
      delay(300, false),
    ]);
    if (!isTaken) return sent;
  }
  return sent;
}

/** Bytes of buffers in this process. */
function buffered(): number {
  return process.memoryUsage().arrayBuffers;
}

describe('ClientReply, a client that leaves', () => {
  it('before an answer that comes all the same leaves no time limit behind', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const { promise: answer, resolve } = Promise.withResolvers<ClientResponse>();
    const relay = await Relay.start({ answer: () => answer, limits: { buffered: 30_000 } });
    later(() => relay.close());
    const client = await TcpPeer.to(relay.url);
    client.send(REQUEST);
    while (relay.replies.length === 0) await delay(1);
    client.socket.destroy();
    await relay.end();
    const before = timers();
    resolve({ status: 200, headers: {}, body: [Buffer.from('late')] });
    await delay(0);
    expect(timers()).toBe(before);
  });

  it('before the answer aborts what is done for it within a second', async () => {
    const { relay, client, worker } = await relayed();
    client.socket.destroy();
    await worker.closed;
    expect(await relay.end()).toBe('client_closed');
    expect(relay.replies[0]?.signal.reason).toMatchObject({ name: 'ClientClosedError', status: 499 });
    expect(relay.lifecycle.inFlight).toBe(0);
  });

  it.each([
    ['resets the connection', (client: TcpPeer) => client.reset()],
    ['closes it', (client: TcpPeer) => client.end()],
  ])('in a stream, and %s, aborts the upstream', async (_how, leave) => {
    const { relay, client, worker } = await relayed();
    worker.send(STREAM_HEAD).send(chunk('data: 1\n\n'));
    await client.until('data: 1');
    leave(client);
    await worker.closed;
    expect(await relay.end()).toBe('client_closed');
    expect(relay.replies[0]?.facts).toEqual({ end: 'client_closed', status: 200, bytes: 9, isStream: true });
  });

  it('while it takes nothing aborts the upstream', async () => {
    const { client, worker } = await relayed();
    client.socket.pause();
    worker.send(STREAM_HEAD);
    await pour(worker, 64 * MIB);
    client.reset();
    await worker.closed;
  });

  it('is told nothing: what fails afterwards is of no interest', async () => {
    const answer = Promise.withResolvers<ClientResponse>();
    const relay = await Relay.start({ answer: () => answer.promise });
    later(() => relay.close());
    const client = (await TcpPeer.to(relay.url)).send(REQUEST);
    while (relay.replies.length === 0) await new Promise(setImmediate);
    client.reset();
    expect(await relay.end()).toBe('client_closed');
    answer.resolve({ status: 200, headers: {}, body: [Buffer.from('late')] });
    await new Promise(setImmediate);
    expect(relay.replies[0]?.facts.end).toBe('client_closed');
  });

  it('is not one that has its answer and closes the connection then', async () => {
    const { relay, client, worker } = await relayed();
    worker.send('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    await client.until('\r\n\r\nok');
    client.reset();
    expect(await relay.end()).toBe('completed');
    expect(relay.replies[0]?.signal.aborted).toBe(false);
  });
});

describe('ClientReply, a client that takes nothing', () => {
  it('holds the worker up, not memory', async () => {
    const { client, worker } = await relayed();
    client.socket.pause();
    worker.send(STREAM_HEAD);
    const before = buffered();
    const sent = await pour(worker, 200 * MIB);
    expect(sent).toBeLessThan(100 * MIB);
    expect(buffered() - before).toBeLessThan(16 * MIB);
  });

  it('gets everything once it goes on', async () => {
    const { relay, client, worker } = await relayed();
    client.socket.pause();
    worker.send(STREAM_HEAD);
    const sent = await pour(worker, 200 * MIB);
    client.socket.resume();
    worker.send(LAST_CHUNK);
    expect(await relay.end()).toBe('completed');
    expect(relay.replies[0]?.facts.bytes).toBe(sent);
  });

  it('is dropped after write_stall_timeout, and with it the upstream', async () => {
    const { relay, client, worker } = await relayed({ stall: 200 });
    client.socket.pause();
    worker.send(STREAM_HEAD);
    await pour(worker, 200 * MIB);
    expect(await relay.end()).toBe('stalled');
    await worker.closed;
    expect(relay.replies[0]?.signal.reason).toMatchObject({ name: 'ClientClosedError' });
  });

  it('is dropped also where all is written and waits in its buffer', async () => {
    const relay = await Relay.start({
      answer: () => ({ status: 200, headers: {}, body: [Buffer.alloc(64 * MIB)] }),
      limits: { stall: 200 },
    });
    later(() => relay.close());
    const client = await TcpPeer.to(relay.url);
    client.socket.pause();
    client.send(REQUEST);
    while (relay.replies.length === 0) await new Promise(setImmediate);
    expect(await relay.end()).toBe('stalled');
  });

  it('is not one that takes little at a time', async () => {
    const { relay, client, worker } = await relayed({ stall: 800 });
    client.socket.pause();
    worker.send(STREAM_HEAD);
    await pour(worker, 200 * MIB);
    for (let turn = 0; turn < 10; turn++) {
      client.socket.resume();
      await delay(20);
      client.socket.pause();
      await delay(100);
    }
    expect(relay.replies[0]?.signal.aborted).toBe(false);
  });

  it('is not one to whom the worker says nothing', async () => {
    const { relay, client, worker } = await relayed({ stall: 100 });
    worker.send(STREAM_HEAD).send(chunk('data: 1\n\n'));
    await client.until('data: 1');
    await delay(400);
    worker.send(chunk('data: 2\n\n')).send(LAST_CHUNK);
    await client.until('data: 2');
    expect(await relay.end()).toBe('completed');
  });
});

describe('ClientReply, write_timeout', () => {
  const limits = { buffered: 200 };

  it('ends an answer that is none of a stream and is not through by then', async () => {
    const { relay, client, worker } = await relayed(limits);
    worker.send('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{');
    await client.closed;
    expect(await relay.end()).toBe('stalled');
    await worker.closed;
  });

  it.each([
    ['a stream', 'text/event-stream'],
    ['a stream, in capitals and with parameters', 'Text/Event-Stream; charset=utf-8'],
    ['a coded stream', 'text/event-stream\r\ncontent-encoding: gzip'],
  ])('is not for %s', async (_what, type) => {
    const { relay, client, worker } = await relayed(limits);
    worker.send(STREAM_HEAD.replace('text/event-stream', type)).send(chunk('data: 1\n\n'));
    await client.until('data: 1');
    await delay(2 * limits.buffered);
    worker.send(LAST_CHUNK);
    expect(await relay.end()).toBe('completed');
  });
});
