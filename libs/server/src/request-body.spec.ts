import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BadRequestError, ClientClosedError } from '#foundation';
import { TcpPeer, cleanup } from '#testing';
import { checkAnnouncedLength, readBody, streamBody } from './request-body.ts';

const LIMIT = 1000;
const later = cleanup();

async function whole(request: IncomingMessage): Promise<string> {
  return (await readBody(request, LIMIT)).toString();
}

async function streamed(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of streamBody(request, LIMIT)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A server that reads a body and answers with what became of it; `outcome` is its text, or the error. */
async function reading(
  read: (request: IncomingMessage) => Promise<string>,
): Promise<{ client: TcpPeer; outcome: Promise<unknown> }> {
  const { promise: outcome, resolve } = Promise.withResolvers<unknown>();
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    read(request).then(
      (text) => {
        resolve(text);
        response.end('read');
      },
      (error: unknown) => {
        resolve(error);
        response.writeHead(error instanceof BadRequestError ? error.status : 500).end('refused');
      },
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // what a server on TCP has
  return { client: await TcpPeer.to(`http://127.0.0.1:${port}`), outcome };
}

const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\n';

function announced(body: string): string {
  return `${HEAD}content-length: ${body.length}\r\n\r\n${body}`;
}

function chunked(...parts: readonly string[]): string {
  const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
  return `${HEAD}transfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
}

const WAYS = [
  { how: 'whole', read: whole },
  { how: 'as it arrives', read: streamed },
];

describe.each(WAYS)('a body that is read $how', ({ read }) => {
  it.each([
    { name: 'nothing', request: announced(''), body: '' },
    { name: 'an announced body', request: announced('abc'), body: 'abc' },
    { name: 'a chunked body', request: chunked('ab', 'c'), body: 'abc' },
    { name: 'no chunk', request: chunked(), body: '' },
    { name: 'exactly the limit, announced', request: announced('x'.repeat(LIMIT)), body: 'x'.repeat(LIMIT) },
    { name: 'exactly the limit, chunked', request: chunked('x'.repeat(LIMIT - 1), 'x'), body: 'x'.repeat(LIMIT) },
  ])('is $name', async ({ request, body }) => {
    const { client, outcome } = await reading(read);
    client.send(request);
    expect(await outcome).toBe(body);
  });

  it('is put together from what comes byte by byte', async () => {
    const { client, outcome } = await reading(read);
    for (const byte of chunked('a\xe4', '\xb8\xad')) {
      client.send(Buffer.from(byte, 'latin1'));
      await new Promise(setImmediate);
    }
    expect(await outcome).toBe('a中');
  });

  it('is refused with one byte over the limit that was not announced', async () => {
    const { client, outcome } = await reading(read);
    client.send(chunked('x'.repeat(LIMIT), 'x'));
    expect(await outcome).toMatchObject({ name: 'BadRequestError', status: 413, code: 'body_too_large' });
    expect(await client.until('refused')).toMatch(/^HTTP\/1.1 413 /);
  });

  it('is refused while the client still sends, who gets to see the answer', async () => {
    const { client, outcome } = await reading(read);
    client.send(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
    const chunk = 'x'.repeat(0x8000);
    for (let count = 0; count < 128; count++) client.send(`8000\r\n${chunk}\r\n`);
    client.send('0\r\n\r\n');
    expect(await outcome).toMatchObject({ status: 413 });
    await client.until('refused');
  });

  it('is the end of a client that goes on sending for ever', async () => {
    const { client, outcome } = await reading(read);
    client.send(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    for (let count = 0; count < 1024 && client.socket.writable; count++) {
      client.send(chunk);
      await new Promise(setImmediate);
    }
    await client.closed;
    expect(await outcome).toMatchObject({ status: 413 });
  });

  it.each([
    ['announced', announced('abc').slice(0, -1)],
    ['chunked', chunked('abc').slice(0, -5)],
  ])('that breaks off is the end of the client, not a body: %s', async (_framing, request) => {
    const { client, outcome } = await reading(read);
    client.send(request);
    await new Promise(setImmediate);
    client.reset();
    expect(await outcome).toBeInstanceOf(ClientClosedError);
  });
});

describe('readBody', () => {
  it('refuses what is announced over the limit, before it comes', async () => {
    const { client, outcome } = await reading(whole);
    client.send(`${HEAD}content-length: ${LIMIT + 1}\r\n\r\n`);
    expect(await outcome).toMatchObject({ status: 413 });
    await client.until('refused');
  });

  it('leaves the connection usable where the refused body was sent all the same', async () => {
    const { client } = await reading(whole);
    client.send(announced('x'.repeat(LIMIT + 1)));
    await client.until('refused');
    client.send(announced('abc'));
    await client.until('read');
  });
});

describe('streamBody', () => {
  it('hands each part over as it comes', async () => {
    const parts: string[] = [];
    const { client, outcome } = await reading(async (request) => {
      for await (const chunk of streamBody(request, LIMIT)) {
        parts.push(chunk.toString());
        client.send(parts.length === 1 ? '1\r\nb\r\n' : '0\r\n\r\n');
      }
      return parts.join();
    });
    client.send(`${HEAD}transfer-encoding: chunked\r\n\r\n1\r\na\r\n`);
    expect(await outcome).toBe('a,b');
  });

  it('leaves the connection usable where nobody wants the rest', async () => {
    const { client } = await reading(async (request) => {
      for await (const chunk of streamBody(request, LIMIT)) return chunk.toString();
      return '';
    });
    client.send(`${HEAD}transfer-encoding: chunked\r\n\r\n1\r\na\r\n`);
    await client.until('read');
    client.send(`8000\r\n${'x'.repeat(0x8000)}\r\n`.repeat(16)).send('0\r\n\r\n');
    client.send(announced('abc'));
    await client.until('read', 2);
  });
});

describe('checkAnnouncedLength', () => {
  it.each([
    [LIMIT, 'read'],
    [LIMIT + 1, 'refused'],
  ])('of %i bytes: %s', async (length, outcome) => {
    const { client } = await reading(async (request) => {
      checkAnnouncedLength(request, LIMIT);
      await Promise.resolve();
      return '';
    });
    client.send(`${HEAD}content-length: ${length}\r\n\r\n`);
    await client.until(outcome);
  });

  it('says nothing of a length that is not announced', async () => {
    const { client } = await reading(async (request) => {
      checkAnnouncedLength(request, 0);
      return streamed(request);
    });
    client.send(chunked('abc'));
    await client.until('read');
  });
});
