import type { RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MediaDownloader } from './media-downloader.ts';
import { imageAt, loopbackRules, MediaOrigin, PNG, reasonOf, serve } from './media-origin.fixture.ts';

const RULES = loopbackRules();
const HURRIED = loopbackRules({ download_timeout: '300ms' });
const MIB = 1024 * 1024;

const origins: MediaOrigin[] = [];

afterEach(async () => {
  for (const origin of origins.splice(0)) await origin.close();
});

function download(url: string, rules = RULES, downloader = new MediaDownloader()): Promise<unknown> {
  return downloader.download(imageAt(url), rules, new AbortController().signal);
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('a'), 10);
  response.once('close', () => {
    clearInterval(timer);
  });
}

type Answer = (...args: Parameters<RequestListener>) => unknown;

const ANSWERS: [name: string, reason: string, answer: Answer][] = [
  ['404', 'status', (_, r) => r.writeHead(404).end('secret')],
  ['500', 'status', (_, r) => r.writeHead(500).end()],
  ['201', 'status', (_, r) => r.writeHead(201).end(PNG)],
  ['206', 'status', (_, r) => r.writeHead(206).end(PNG)],
  ['204', 'status', (_, r) => r.writeHead(204).end()],
  ['a redirect to nowhere', 'status', (_, r) => r.writeHead(302).end()],
  ['a page', 'type', (_, r) => r.writeHead(200, { 'content-type': 'image/png' }).end('<!doctype html>')],
  ['an empty body', 'empty', serve(Buffer.alloc(0))],
  ['an empty body in chunks', 'empty', (_, r) => r.writeHead(200, { 'transfer-encoding': 'chunked' }).end()],
  ['a gzipped body', 'encoding', serve(gzipSync(Buffer.alloc(64 * MIB)), { 'content-encoding': 'gzip' })],
  ['a gzipped body that does not say so', 'type', serve(gzipSync(Buffer.alloc(MIB)))],
  ['an unknown coding', 'encoding', serve(PNG, { 'content-encoding': 'x-own' })],
  ['an origin that hangs', 'timeout', () => undefined],
  ['a body that hangs', 'timeout', (_, r) => r.writeHead(200).write(PNG)],
  ['a body that drips', 'timeout', (_, r) => drip(r.writeHead(200))],
  ['a connection cut before the head', 'broken', (q) => q.socket.destroy()],
  ['a connection reset in the body', 'broken', (q, r) => r.writeHead(200).write(PNG, () => q.socket.resetAndDestroy())],
  [
    'less than was announced',
    'broken',
    (_, r) => r.writeHead(200, { 'content-length': 99 }).write(PNG, () => r.destroy()),
  ],
  [
    'more than was announced',
    'broken',
    (q) => q.socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n${'a'.repeat(MIB)}`),
  ],
  [
    'two lengths',
    'broken',
    (q) => q.socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\naa'),
  ],
  ['what is no HTTP', 'broken', (q) => q.socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
  ['a head without end', 'broken', (q) => q.socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(64 * 1024)}`)],
];

const URLS: [name: string, reason: string, url: string][] = [
  ['words', 'url', 'not a url'],
  ['nothing', 'url', ''],
  ['a URL without scheme', 'url', '//127.0.0.1/x.png'],
  ['a URL without host', 'url', 'http://'],
  ['a port that does not exist', 'url', 'http://127.0.0.1:99999/'],
  ['a URL of 16 KiB', 'url', `http://127.0.0.1/${'a'.repeat(16 * 1024)}`],
  ['ftp', 'scheme', 'ftp://127.0.0.1/x.png'],
  ['file', 'scheme', 'file:///etc/hostname'],
  ['gopher', 'scheme', 'gopher://127.0.0.1/'],
  ['blob', 'scheme', 'blob:http://127.0.0.1/x'],
  ['data that was not taken for it', 'scheme', ' data:image/png;base64,AAAA'],
  ['a name and password', 'userinfo', 'http://user:pw@127.0.0.1/'],
  ['a name', 'userinfo', 'http://user@127.0.0.1/'],
  ['a password', 'userinfo', 'http://:pw@127.0.0.1/'],
  ['the port of ssh', 'port', 'http://127.0.0.1:22/'],
  ['the port of smtp', 'port', 'https://127.0.0.1:25/'],
  ['a name that does not resolve', 'unreachable', 'http://name.invalid/'],
];

describe('MediaDownloader refuses', () => {
  it.each(ANSWERS)('%s, for the reason "%s"', async (_, reason, answer) => {
    const origin = await MediaOrigin.start((request, response) => void answer(request, response));
    origins.push(origin);
    expect(await reasonOf(download(origin.url, reason === 'timeout' ? HURRIED : RULES))).toBe(reason);
  });

  it.each(URLS)('%s, for the reason "%s"', async (_, reason, url) => {
    const nothingResolves = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
    expect(await reasonOf(download(url, RULES, new MediaDownloader([], nothingResolves)))).toBe(reason);
  });

  it('an origin that nobody serves', async () => {
    const origin = await MediaOrigin.start(serve(PNG));
    const { url } = origin;
    await origin.close();
    expect(await reasonOf(download(url))).toBe('unreachable');
  });

  it('an origin whose certificate it does not trust', async () => {
    const origin = await MediaOrigin.start((request) => request.socket.end('no TLS'));
    origins.push(origin);
    expect(await reasonOf(download(origin.url.replace('http:', 'https:')))).toBe('unreachable');
  });

  it.each([
    ['404', (_, r) => r.writeHead(404).end('secret')],
    ['a cut connection', (q) => q.socket.destroy()],
    ['a page', (_, r) => r.end('<html>secret</html>')],
  ] satisfies [string, Answer][])(
    '%s with the same words as any other cause, and tells nothing of it',
    async (_, answer) => {
      const origin = await MediaOrigin.start((request, response) => void answer(request, response));
      origins.push(origin);
      const error: unknown = await download(`${origin.url}/path?secret=1`).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        status: 400,
        code: 'media_fetch_failed',
        param: 'messages[0].content[1]',
        message: 'the media could not be fetched',
      });
      const { cause } = error as Error; // as just matched
      expect(Object.keys(cause as object)).toEqual(['reason', 'status', 'name']);
      expect(`${String(error)} ${String(cause)}`).not.toMatch(/127|secret|ECONN|socket/i);
    },
  );

  it('nothing silently that is a fault of its own', async () => {
    const downloader = new MediaDownloader([], () => Promise.reject(new TypeError('a bug')));
    await expect(download('http://img.example/', RULES, downloader)).rejects.toThrow('a bug');
  });
});
