import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { env } from 'node:process';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MediaDownloader } from './media-downloader.ts';
import { imageAt, loopbackRules, MediaOrigin, PNG, reasonOf, serve } from './media-origin.fixture.ts';
import type { MediaRules } from './media-rules.ts';
import type { Lookup } from './name-lookup.ts';

const FIRST_ONLY = loopbackRules({ allowed_networks: ['127.0.0.1/32'] });
const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };
const SECOND: LookupAddress = { address: '127.0.0.2', family: 4 };

const opened: { close(): unknown }[] = [];

afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function originAt(address: string): Promise<MediaOrigin> {
  const origin = await MediaOrigin.start(serve(PNG), address);
  opened.push(origin);
  return origin;
}

/** A resolver that gives these answers in turn, and counts how often it is asked. */
function scripted(...answers: LookupAddress[][]): { lookup: Lookup; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    lookup: (hostname) => {
      asked.push(hostname);
      return Promise.resolve(answers[asked.length - 1] ?? []);
    },
  };
}

function download(url: string, rules: MediaRules, lookup: Lookup): Promise<unknown> {
  return new MediaDownloader([], lookup).download(imageAt(url), rules, new AbortController().signal);
}

describe('A name', () => {
  it('is resolved once, and the address that was checked is the one connected to', async () => {
    const origin = await originAt('0.0.0.0');
    const { lookup, asked } = scripted([LOOPBACK], [SECOND]);
    await download(`http://rebind.example:${origin.port}/`, FIRST_ONLY, lookup);
    expect(asked).toEqual(['rebind.example']);
    expect(origin.requests.map((request) => request.socket.localAddress)).toEqual(['127.0.0.1']);
  });

  it('is resolved and checked again on each hop', async () => {
    const origin = await MediaOrigin.start((_, response) => response.writeHead(302, { location: '/next' }).end());
    opened.push(origin);
    const { lookup, asked } = scripted([LOOPBACK], [SECOND]);
    expect(await reasonOf(download(`http://rebind.example:${origin.port}/`, FIRST_ONLY, lookup))).toBe('address');
    expect(asked).toHaveLength(2);
    expect(origin.connections).toBe(1);
  });

  it.each([
    ['a blocked address behind an allowed one', [LOOPBACK, SECOND]],
    ['a blocked address before an allowed one', [SECOND, LOOPBACK]],
    ['a blocked address of the other family', [LOOPBACK, { address: '::1', family: 6 }]],
    ['a blocked address as IPv4-mapped', [LOOPBACK, { address: '::ffff:127.0.0.2', family: 6 }]],
    ['a metadata address through NAT64', [{ address: '64:ff9b::a9fe:a9fe', family: 6 }]],
    ['a link-local address with a zone', [{ address: 'fe80::1%lo', family: 6 }]],
    ['no address at all', []],
  ])('with %s is refused whole', async (_, answer) => {
    const origin = await originAt('0.0.0.0');
    const { lookup } = scripted(answer);
    expect(await reasonOf(download(`http://mixed.example:${origin.port}/`, FIRST_ONLY, lookup))).toBe('address');
    expect(origin.connections).toBe(0);
  });

  it('stays the Host of the request', async () => {
    const origin = await originAt('127.0.0.1');
    await download(`http://img.example:${origin.port}/`, FIRST_ONLY, scripted([LOOPBACK]).lookup);
    expect(origin.requests[0]?.headers.host).toBe(`img.example:${origin.port}`);
  });

  it('stays the name that TLS asks for', async () => {
    const hello = Promise.withResolvers<Buffer>();
    const server: Server = createServer((socket: Socket) => {
      socket
        .on('error', () => undefined)
        .once('data', (bytes) => {
          hello.resolve(bytes);
          socket.end();
        });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push(server);
    const { port } = server.address() as AddressInfo; // what a server on TCP has
    const attempt = download(`https://img.example:${port}/`, FIRST_ONLY, scripted([LOOPBACK]).lookup);
    expect(await reasonOf(attempt)).toBe('broken');
    expect((await hello.promise).includes('img.example')).toBe(true);
  });

  it('is reached by another of its addresses when the first does not answer', async () => {
    const origin = await originAt('127.0.0.2');
    const attempt = download(
      `http://two.example:${origin.port}/`,
      loopbackRules(),
      scripted([LOOPBACK, SECOND]).lookup,
    );
    expect(await attempt).toMatchObject({ contentType: 'image/png' });
  });
});

describe('A proxy of the environment', () => {
  const saved = { ...env };

  afterEach(() => {
    for (const name of ['http_proxy', 'no_proxy']) {
      if (saved[name] === undefined) Reflect.deleteProperty(env, name);
      else env[name] = saved[name];
    }
  });

  const trusting = loopbackRules({ allowed_networks: [], trust_proxy_env: true });
  const { lookup, asked } = scripted();

  it('is not used by default', async () => {
    const proxy = await originAt('127.0.0.1');
    const origin = await originAt('127.0.0.1');
    env['http_proxy'] = proxy.url;
    await download(origin.url, loopbackRules(), lookup);
    expect([proxy.connections, origin.connections]).toEqual([0, 1]);
  });

  it('gets the name unresolved with trust_proxy_env', async () => {
    const proxy = await originAt('127.0.0.1');
    env['http_proxy'] = proxy.url;
    expect(await download('http://img.example/a.png?b', trusting, lookup)).toMatchObject({ contentType: 'image/png' });
    expect(proxy.requests.map((request) => request.url)).toEqual(['http://img.example/a.png?b']);
    expect(asked).toEqual([]);
  });

  it('is not asked for a literal address that is blocked', async () => {
    const proxy = await originAt('127.0.0.1');
    env['http_proxy'] = proxy.url;
    expect(await reasonOf(download('http://169.254.169.254/', trusting, lookup))).toBe('address');
    expect(proxy.connections).toBe(0);
  });

  it('leaves the address check on for what NO_PROXY keeps from it', async () => {
    const proxy = await originAt('127.0.0.1');
    Object.assign(env, { http_proxy: proxy.url, no_proxy: 'internal.example' });
    const direct = download('http://internal.example/', trusting, scripted([LOOPBACK]).lookup);
    expect(await reasonOf(direct)).toBe('address');
    expect(proxy.connections).toBe(0);
  });
});
