import { describe, expect, it } from '@jest/globals';
import { Shutdown } from '#runtime';
import type { ShutdownLimits } from '#runtime';
import { TcpPeer, cleanup } from '#testing';
import { servingRaw } from './server.fixture.ts';

const BODY = '{"stream":true}';
const POST = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const EVENT = '9\r\ndata: 1\n\n\r\n';
const LAST = 'e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n';
const later = cleanup();

/** A server with one stream running, and the worker of it. */
async function streaming(limits: Partial<ShutdownLimits>) {
  const served = await servingRaw(later, async (peer) => {
    await peer.until(BODY);
    peer.send(HEAD + EVENT);
  });
  await served.client.send(POST).until('data: 1');
  const shutdown = new Shutdown(served.server.app, served.server.lifecycle, {
    drainDelay: 0,
    timeout: 10_000,
    ...limits,
  });
  return { ...served, shutdown };
}

describe('drain', () => {
  it('serves new requests on new connections in the drain delay, and ends every stream in order', async () => {
    const { gateway, server, client, shutdown } = await streaming({ drainDelay: 500 });
    const done = shutdown.run('SIGTERM');
    const other = await TcpPeer.to(server.url);
    await other.send(POST).until('data: 1');
    while (!server.lifecycle.isClosing) await new Promise(setImmediate);
    for (const worker of gateway.peers) worker.send(LAST);
    await done;
    for (const peer of [client, other]) expect((await peer.rest()).endsWith(LAST)).toBe(true);
  });

  it('answers 503 on a connection that is still open when nothing new is begun, and closes it', async () => {
    const { gateway, server, client, shutdown } = await streaming({});
    const other = await TcpPeer.to(server.url);
    await other.send(POST).until('data: 1');
    const done = shutdown.run('SIGTERM');
    while (!server.lifecycle.isClosing) await new Promise(setImmediate);
    gateway.peers[0]?.send(LAST);
    await client.until(LAST);
    const before = client.text.length;
    client.send(POST);
    const refusal = (await client.rest()).slice(before);
    expect(refusal).toMatch(/^HTTP\/1\.1 503 [^]*\r\nconnection: close\r\n[^]*"draining"/i);
    gateway.peers[1]?.send(LAST);
    await done;
    expect((await other.rest()).endsWith(LAST)).toBe(true);
  });

  it("ends a stream that is left at the timeout with the reason, no [DONE], and closes the worker's connection", async () => {
    const { gateway, client, shutdown } = await streaming({ timeout: 100 });
    await shutdown.run('SIGTERM');
    const text = await client.rest();
    expect(text).toContain('"code":"draining"');
    expect(text).not.toContain('[DONE]');
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
    await gateway.peers[0]?.closed;
  });
});
