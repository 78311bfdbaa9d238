import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { TcpPeer, cleanup } from '#testing';
import { serving, servingRaw, values } from './server.fixture.ts';

const MIB = 1024 * 1024;
const later = cleanup();

function sha(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('passthrough, bodies', () => {
  const body = (size: number): Buffer => Buffer.from(Array.from({ length: size }, (_, index) => index % 256));

  it.each([0, 1, 64 * 1024, 64 * 1024 + 1, MIB])('of %i bytes go on as they came, announced', async (size) => {
    const { gateway, ask } = await serving(later);
    await ask('/v1/audio', { method: 'POST', body: body(size), headers: { 'content-type': 'audio/wav' } });
    expect(sha(gateway.requests[0]?.body ?? Buffer.alloc(0))).toBe(sha(body(size)));
    expect(values(gateway.requests[0], 'content-length')).toEqual([String(size)]);
    expect(values(gateway.requests[0], 'content-type')).toEqual(['audio/wav']);
  });

  it('without a length go on without one', async () => {
    const { gateway, ask } = await serving(later);
    await ask('/v1/audio', { method: 'PUT', body: new Blob([body(200_000)]).stream(), duplex: 'half' });
    expect(sha(gateway.requests[0]?.body ?? Buffer.alloc(0))).toBe(sha(body(200_000)));
    expect(values(gateway.requests[0], 'transfer-encoding')).toEqual(['chunked']);
    expect(values(gateway.requests[0], 'content-length')).toEqual([]);
  });

  it.each(['DELETE', 'OPTIONS', 'PROPFIND'])('of %s go on too', async (method) => {
    const { gateway, ask } = await serving(later);
    await ask('/v1/things', { method, body: 'text' });
    expect(gateway.requests[0]?.body.toString()).toBe('text');
  });

  it.each(['nonsense', 'application/json;;', '"x"'])('may be of any content type: %s', async (type) => {
    const { gateway, server } = await serving(later);
    const client = await TcpPeer.to(server.url);
    await client.send(`POST /x HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: 1\r\n\r\n1`).until('{}');
    expect(values(gateway.requests[0], 'content-type')).toEqual([type]);
  });

  it('keep their content coding', async () => {
    const { gateway, ask } = await serving(later);
    await ask('/v1/x', { method: 'POST', body: 'packed', headers: { 'content-encoding': 'gzip' } });
    expect(values(gateway.requests[0], 'content-encoding')).toEqual(['gzip']);
  });

  it.each(['announced', 'chunked'])('over the limit are refused: %s', async (framing) => {
    const { gateway, ask } = await serving(later, { server: { max_request_body_size: 1 } });
    const tooLarge = body(MIB + 1);
    const sent = framing === 'announced' ? tooLarge : new Blob([tooLarge]).stream();
    const response = await ask('/v1/x', { method: 'POST', body: sent, duplex: 'half' });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'body_too_large' } });
    expect(gateway.requests).toHaveLength(0);
  });

  it('of exactly the limit go on', async () => {
    const { ask } = await serving(later, { server: { max_request_body_size: 1 } });
    expect((await ask('/v1/x', { method: 'POST', body: body(MIB) })).status).toBe(200);
    const chunked = new Blob([body(MIB)]).stream();
    expect((await ask('/v1/x', { method: 'POST', body: chunked, duplex: 'half' })).status).toBe(200);
  });

  it('stream in both directions at once', async () => {
    const { server, client } = await servingRaw(later, async (peer) => {
      await peer.until('\r\n\r\n');
      peer.send('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      for (let part = 0; part < 3; part++) {
        await peer.until(`ask${part}`);
        peer.send(`4\r\nsay${part}\r\n`);
      }
      await peer.until('\r\n0\r\n\r\n');
      peer.send('0\r\n\r\n');
    });
    client.send('POST /v1/realtime HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    for (let part = 0; part < 3; part++) {
      client.send(`4\r\nask${part}\r\n`);
      await client.until(`say${part}`);
    }
    await client.send('0\r\n\r\n').until('\r\n0\r\n\r\n');
    await server.lifecycle.idle();
  });

  it('that the gateway does not want to the end leave the connection usable', async () => {
    const refusal = 'HTTP/1.1 429 Slow\r\ncontent-length: 2\r\n\r\nno';
    const { gateway, client } = await servingRaw(later, async (peer) => {
      await peer.until('\r\n\r\n');
      peer.send(refusal);
      await peer.closed;
    });
    const half = 'x'.repeat(100_000);
    client.send(`POST /v1/files HTTP/1.1\r\nhost: x\r\ncontent-length: ${2 * half.length}\r\n\r\n${half}`);
    await client.until('\r\n\r\nno');
    client.send(half).send('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n');
    await client.until('\r\n\r\nno', 2);
    expect(gateway.peers).toHaveLength(2);
  });
});
