import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ByteBudget } from './byte-budget.ts';
import { MediaDownloader } from './media-downloader.ts';
import type { MediaDownload } from './media-downloader.ts';
import { imageAt, loopbackRules, MediaOrigin, PNG, reasonOf, serve, writeForEver } from './media-origin.fixture.ts';

const MIB = 1024 * 1024;
const RULES = loopbackRules();
const ONE_MIB = loopbackRules({ max_download_size: 1 });

const origins: MediaOrigin[] = [];

afterEach(async () => {
  for (const origin of origins.splice(0)) await origin.close();
});

async function originOf(answer: RequestListener): Promise<MediaOrigin> {
  const origin = await MediaOrigin.start(answer);
  origins.push(origin);
  return origin;
}

function download(url: string, rules = RULES, signal = new AbortController().signal): Promise<MediaDownload> {
  return new MediaDownloader().download(imageAt(url), rules, signal);
}

/** The ways in which a body can be framed. */
const FRAMINGS: [name: string, (body: Buffer) => RequestListener][] = [
  ['announced', (body) => serve(body)],
  ['chunked', (body) => (_, response) => response.writeHead(200).end(body)],
  [
    'up to the end of the connection',
    (body) => (request) => request.socket.end(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), body])),
  ],
];

describe('MediaDownloader', () => {
  it('gives the bytes, and the type that they tell', async () => {
    const { url } = await originOf(serve(PNG, { 'content-type': 'image/gif' }));
    expect(await download(`${url}/a.png?token=1`)).toEqual({ bytes: PNG, contentType: 'image/png' });
  });

  it('asks with GET, path and query, and with nothing but its own headers', async () => {
    const { url, requests } = await originOf(serve(PNG));
    await download(`${url}/a%20b.png?q=%2F#fragment`);
    expect(requests).toMatchObject([{ method: 'GET', url: '/a%20b.png?q=%2F' }]);
    expect(requests[0]?.headers).toEqual({
      host: url.slice('http://'.length),
      connection: 'keep-alive',
      'user-agent': 'inference-coordinator',
      accept: '*/*',
      'accept-encoding': 'identity',
    });
  });

  it.each(['HTTP://', 'hTTp:/', 'http:\\\\'])('takes %s for a scheme', async (scheme) => {
    const { url } = await originOf(serve(PNG));
    expect(await download(url.replace('http://', scheme))).toMatchObject({ contentType: 'image/png' });
  });

  it.each(FRAMINGS)('serves a body of exactly the cap and refuses one byte more, %s', async (_, framed) => {
    const body = Buffer.concat([PNG, Buffer.alloc(MIB)]);
    const equal = await originOf(framed(body.subarray(0, MIB)));
    const larger = await originOf(framed(body.subarray(0, MIB + 1)));
    expect((await download(equal.url, ONE_MIB)).bytes.equals(body.subarray(0, MIB))).toBe(true);
    expect(await reasonOf(download(larger.url, ONE_MIB))).toBe('size');
  });

  it('cuts a body without end at the cap', async () => {
    let sent = Promise.resolve(0);
    const { url } = await originOf((_, response) => {
      sent = writeForEver(response.writeHead(200), Buffer.alloc(64 * 1024));
    });
    expect(await reasonOf(download(url, ONE_MIB))).toBe('size');
    expect(await sent).toBeLessThan(32 * MIB);
  });

  it('does not wait for a body that is announced too large', async () => {
    const { url } = await originOf((_, response) => {
      response.writeHead(200, { 'content-length': 2 * MIB }).flushHeaders();
    });
    expect(await reasonOf(download(url, ONE_MIB))).toBe('size');
  });

  it('holds each kind to its own cap', async () => {
    const flac = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(MIB)]);
    const { url } = await originOf(serve(flac));
    const rules = loopbackRules({ max_image_download_size: 1, max_audio_download_size: 2 });
    const audio = new MediaDownloader().download(
      { ...imageAt(url), modality: 'audio' },
      rules,
      new AbortController().signal,
    );
    expect(await audio).toMatchObject({ contentType: 'audio/flac' });
    expect(await reasonOf(download(url, rules))).toBe('size');
  });

  it.each(FRAMINGS)('takes from the budget it is given, %s', async (_, framed) => {
    const { url } = await originOf(framed(PNG));
    const budget = new ByteBudget(2 * PNG.length - 1);
    const { signal } = new AbortController();
    const first = new MediaDownloader().download(imageAt(url), RULES, signal, budget);
    expect(await first).toMatchObject({ bytes: PNG });
    expect(await reasonOf(new MediaDownloader().download(imageAt(url), RULES, signal, budget))).toBe('total_size');
  });

  it('passes each download through its interceptors, failures too', async () => {
    const seen: unknown[] = [];
    const watch = {
      async intercept<T>(call: unknown, next: () => Promise<T>): Promise<T> {
        const outcome = next();
        seen.push([call, await reasonOf(outcome)]);
        return outcome;
      },
    };
    const { url } = await originOf((request, response) => {
      if (request.url === '/a?secret') serve(PNG)(request, response);
      else response.writeHead(404).end();
    });
    const downloader = new MediaDownloader([watch]);
    const { signal } = new AbortController();
    await downloader.download({ ...imageAt(`${url}/a?secret`), index: 3 }, RULES, signal);
    await reasonOf(downloader.download(imageAt(`${url}/b`), RULES, signal));
    await reasonOf(downloader.download(imageAt('no url'), RULES, signal));
    const host = url.slice('http://'.length);
    expect(seen).toEqual([
      [
        { modality: 'image', index: 3, host, path: '/a' },
        { bytes: PNG, contentType: 'image/png' },
      ],
      [{ modality: 'image', index: 0, host, path: '/b' }, 'status'],
      [{ modality: 'image', index: 0, host: '', path: '' }, 'url'],
    ]);
  });
});

describe('MediaDownloader, when its caller aborts', () => {
  /** A peer that answers what it gets with `answer`, or not at all. */
  async function peer(answer: string): Promise<{ port: number; connected: Promise<Socket> }> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.write(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const connected = new Promise<Socket>((resolve) => server.once('connection', resolve));
    void connected.then(() => server.close());
    return { port: (server.address() as AddressInfo).port, connected }; // what a server on TCP has
  }

  it.each([
    ['during the TLS handshake', 'https', ''],
    ['before the head', 'http', ''],
    ['during the body', 'http', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na'],
  ])("closes the connection and rethrows the caller's reason, %s", async (_, scheme, answer) => {
    const { port, connected } = await peer(answer);
    const caller = new AbortController();
    const reason = new Error('the client left');
    const outcome = download(`${scheme}://127.0.0.1:${port}/`, RULES, caller.signal).catch((error: unknown) => error);
    const socket = await connected;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.once('data', () => setImmediate(() => caller.abort(reason)));
    expect(await outcome).toBe(reason);
    await closed;
  });

  it('rethrows it while the name is being resolved, and connects to nothing afterwards', async () => {
    const origin = await originOf(serve(PNG));
    const caller = new AbortController();
    const reason = new Error('the client left');
    const resolution = Promise.withResolvers<{ address: string; family: number }[]>();
    const downloader = new MediaDownloader([], () => resolution.promise);
    const source = imageAt(`http://slow.example:${origin.port}/`);
    const outcome = downloader.download(source, RULES, caller.signal).catch((error: unknown) => error);
    caller.abort(reason);
    expect(await outcome).toBe(reason);
    resolution.resolve([{ address: '127.0.0.1', family: 4 }]);
    await download(origin.url);
    expect(origin.connections).toBe(1);
  });

  it('opens nothing when it has aborted already', async () => {
    const origin = await originOf(serve(PNG));
    await expect(download(origin.url, RULES, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(origin.connections).toBe(0);
  });
});
