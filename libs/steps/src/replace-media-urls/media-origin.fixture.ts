import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BadRequestError } from '#foundation';
import type { MediaSource } from './media-downloader.ts';
import { MediaFetchFailure } from './media-fetch.failure.ts';
import { mediaRules } from './media-rules.ts';
import type { MediaRules } from './media-rules.ts';
import { replaceMediaUrlsParams } from './replace-media-urls.params.ts';

export const PNG = Buffer.from('\x89PNG\r\n\x1a\n then pixels', 'latin1');

/** For specs: a real origin on a loopback address, which counts what reaches it. */
export class MediaOrigin {
  connections = 0;
  readonly requests: IncomingMessage[] = [];
  private readonly server = createServer((request, response) => {
    this.requests.push(request);
    this.answer(request, response);
  });

  private constructor(private readonly answer: RequestListener) {
    this.server.on('connection', () => this.connections++);
  }

  static async start(answer: RequestListener, address = '127.0.0.1'): Promise<MediaOrigin> {
    const origin = new MediaOrigin(answer);
    await new Promise<void>((resolve) => origin.server.listen(0, address, resolve));
    return origin;
  }

  get url(): string {
    const { address, port } = this.listening;
    return `http://${address}:${port}`;
  }

  get port(): number {
    return this.listening.port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private get listening(): AddressInfo {
    return this.server.address() as AddressInfo; // what a server on TCP has
  }
}

export function serve(body: Buffer, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': body.length, ...headers }).end(body);
  };
}

/** Writes until nobody listens; tells how much that was. */
export async function writeForEver(response: ServerResponse, chunk: Buffer): Promise<number> {
  const closed = new Promise((resolve) => response.once('close', resolve));
  let sent = 0;
  while (!response.destroyed) {
    const flowing = response.write(chunk);
    sent += chunk.length;
    if (!flowing) await Promise.race([closed, new Promise((resolve) => response.once('drain', resolve))]);
  }
  return sent;
}

/** Parameters with loopback opened. */
export function loopbackRules(params: object = {}): MediaRules {
  return mediaRules(replaceMediaUrlsParams.parse({ allowed_networks: ['127.0.0.0/8'], ...params }));
}

export function imageAt(url: string): MediaSource {
  return { url, modality: 'image', index: 0, param: 'messages[0].content[1]' };
}

/** Why a download was refused; what it gave or threw instead, if it was not. */
export async function reasonOf(attempt: Promise<unknown>): Promise<unknown> {
  const end = await attempt.catch((error: unknown) => error);
  return end instanceof BadRequestError && end.cause instanceof MediaFetchFailure ? end.cause.reason : end;
}
