import { afterEach, describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { MediaDownloader } from './media-downloader.ts';
import { imageAt, loopbackRules, MediaOrigin, PNG, reasonOf, serve } from './media-origin.fixture.ts';
import { mediaRules } from './media-rules.ts';
import { replaceMediaUrlsParams } from './replace-media-urls.params.ts';

const CLOSED = mediaRules(replaceMediaUrlsParams.parse({}));
const { signal } = new AbortController();

const origins: MediaOrigin[] = [];

afterEach(async () => {
  for (const origin of origins.splice(0)) await origin.close();
});

async function originOf(answer: RequestListener, address?: string): Promise<MediaOrigin> {
  const origin = await MediaOrigin.start(answer, address);
  origins.push(origin);
  return origin;
}

/** `/3` leads to `/2`, and so on until `/0` is the picture; `/to?x` leads to x. */
const hops: RequestListener = (request, response) => {
  const path = request.url ?? '';
  const left = Number(path.slice(1));
  if (left === 0) serve(PNG)(request, response);
  else if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
  else response.writeHead(307, { location: decodeURIComponent(path.slice('/to?'.length)) }).end('away');
};

function download(url: string, rules = loopbackRules()): Promise<unknown> {
  return new MediaDownloader().download(imageAt(url), rules, signal);
}

describe('MediaDownloader, redirected', () => {
  it.each([301, 302, 303, 307, 308])('follows a %d', async (status) => {
    const { url, requests } = await originOf((request, response) => {
      if (request.url === '/b') serve(PNG)(request, response);
      else response.writeHead(status, { location: 'b' }).end();
    });
    expect(await download(`${url}/a`)).toMatchObject({ contentType: 'image/png' });
    expect(requests.map((request) => request.method)).toEqual(['GET', 'GET']);
  });

  it.each([300, 304, 305])('does not follow a %d', async (status) => {
    const { url } = await originOf((_, response) => response.writeHead(status, { location: '/0' }).end());
    expect(await reasonOf(download(url))).toBe('status');
  });

  it('follows five and not six', async () => {
    const { url, requests } = await originOf(hops);
    expect(await download(`${url}/5`)).toMatchObject({ contentType: 'image/png' });
    expect(requests).toHaveLength(6);
    expect(await reasonOf(download(`${url}/6`))).toBe('redirects');
    expect(requests).toHaveLength(12);
  });

  it('ends in a loop', async () => {
    const { url, requests } = await originOf((_, response) => response.writeHead(302, { location: '/' }).end());
    expect(await reasonOf(download(url))).toBe('redirects');
    expect(requests).toHaveLength(6);
  });

  it('takes no header along to another host', async () => {
    const there = await originOf(serve(PNG), '127.0.0.2');
    const here = await originOf((_, response) => {
      response.writeHead(302, { location: `${there.url}/x`, 'set-cookie': 'a=1' }).end();
    });
    await download(here.url);
    expect(there.requests[0]?.headers).toEqual({
      ...here.requests[0]?.headers,
      host: there.url.slice('http://'.length),
    });
  });

  it.each([
    ['address', 'http://169.254.169.254/'],
    ['address', '//10.0.0.5/x'],
    ['address', 'http://[::ffff:a9fe:a9fe]/'],
    ['address', 'http://2130706434/'],
    ['scheme', 'file:///etc/hostname'],
    ['scheme', 'data:image/png;base64,AAAA'],
    ['port', 'http://127.0.0.1:22/'],
    ['userinfo', 'http://u:p@127.0.0.1/'],
    ['url', 'http://'],
  ])('refuses, for the reason "%s", to go to %s', async (reason, to) => {
    const { url } = await originOf(hops);
    const rules = loopbackRules({ allowed_networks: ['127.0.0.1/32'] });
    expect(await reasonOf(download(`${url}/to?${encodeURIComponent(to)}`, rules))).toBe(reason);
  });

  it('spends one time limit on all hops', async () => {
    const { url } = await originOf((request, response) => {
      setTimeout(() => {
        hops(request, response);
      }, 100);
    });
    expect(await reasonOf(download(`${url}/5`, loopbackRules({ download_timeout: '350ms' })))).toBe('timeout');
  });
});

describe('MediaDownloader, with addresses', () => {
  it.each([
    'http://127.0.0.1:PORT/',
    'http://127.0.0.2:PORT/',
    'http://[::1]:PORT/',
    'http://[::]:PORT/',
    'http://0:PORT/',
    'http://0.0.0.0:PORT/',
    'http://2130706433:PORT/',
    'http://017700000001:PORT/',
    'http://0x7f000001:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://0x7f.1:PORT/',
    'http://127.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://１２７.0.0.1:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://10.0.0.5/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://192.0.2.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[::ffff:a00:1]/',
  ])('connects to nothing for %s', async (url) => {
    const origin = await originOf(serve(PNG), '0.0.0.0');
    expect(await reasonOf(download(url.replace('PORT', String(origin.port)), CLOSED))).toBe('address');
    expect(origin.connections).toBe(0);
  });

  it.each(['localhost', 'localhost.', 'LOCALHOST', 'innocent.example'])(
    'connects to nothing for %s, which resolves to loopback',
    async (name) => {
      const origin = await originOf(serve(PNG), '0.0.0.0');
      const downloader = new MediaDownloader([], () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]));
      const attempt = downloader.download(imageAt(`http://${name}:${origin.port}/`), CLOSED, signal);
      expect(await reasonOf(attempt)).toBe('address');
      expect(origin.connections).toBe(0);
    },
  );

  it("connects to nothing for the system's own localhost", async () => {
    const origin = await originOf(serve(PNG), '0.0.0.0');
    expect(await reasonOf(download(`http://localhost:${origin.port}/`, CLOSED))).toBe('address');
    expect(origin.connections).toBe(0);
  });

  it('answers a blocked address as it answers one that is not served', async () => {
    const origin = await originOf(serve(PNG), '127.0.0.2');
    const rules = loopbackRules({ allowed_networks: ['127.0.0.1/32'] });
    const blocked: unknown = await download(origin.url, rules).catch((error: unknown) => error);
    const unserved: unknown = await download(origin.url.replace('127.0.0.2', '127.0.0.1'), rules).catch(
      (error: unknown) => error,
    );
    expect(JSON.stringify(blocked)).toBe(JSON.stringify(unserved));
    expect(String(blocked)).toBe(String(unserved));
  });
});

describe('MediaDownloader, with allowed_domains', () => {
  const rules = loopbackRules({ allowed_domains: ['IMG.example', '127.0.0.1'] });
  const downloader = new MediaDownloader([], () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]));

  it.each([
    ['img.example', 'served'],
    ['Img.Example', 'served'],
    ['127.0.0.1', 'served'],
    ['2130706433', 'served'],
    ['sub.img.example', 'domain'],
    ['img.example.', 'domain'],
    ['example', 'domain'],
    ['localhost', 'domain'],
  ])('%s is %s', async (host, expected) => {
    const { port } = await originOf(serve(PNG));
    const attempt = downloader.download(imageAt(`http://${host}:${port}/`), rules, signal);
    expect(await reasonOf(attempt.then(() => 'served'))).toBe(expected);
  });

  it('holds every hop to them', async () => {
    const { url, port } = await originOf(hops);
    const to = encodeURIComponent(`http://localhost:${port}/0`);
    expect(await reasonOf(downloader.download(imageAt(`${url}/to?${to}`), rules, signal))).toBe('domain');
  });

  it('open no address', async () => {
    const closed = mediaRules(replaceMediaUrlsParams.parse({ allowed_domains: ['127.0.0.1'] }));
    const origin = await originOf(serve(PNG));
    expect(await reasonOf(download(origin.url, closed))).toBe('address');
  });

  it('are any host when empty', async () => {
    const { url } = await originOf(serve(PNG));
    expect(await download(url, loopbackRules({ allowed_domains: [] }))).toMatchObject({ contentType: 'image/png' });
  });
});
