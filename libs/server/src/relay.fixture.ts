import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Lifecycle, asCoordinatorError } from '#foundation';
import { UpstreamClient, gatewayConfig } from '#gateway';
import type { UpstreamReply } from '#gateway';
import type { ClientResponse, ReplyEnd } from '#pipeline';
import { ClientReply } from './client-reply.ts';
import type { WriteLimits } from './write-guard.ts';

/** What a test wants of a relay. */
export interface RelayOptions {
  readonly answer: (reply: ClientReply, client: UpstreamClient) => Promise<ClientResponse> | ClientResponse;
  readonly limits?: Partial<WriteLimits>;
  /** Milliseconds. */
  readonly heartbeat?: number;
}

/** An HTTP server whose replies are `ClientReply`s, driven as the routes drive them. */
export class Relay {
  readonly lifecycle = new Lifecycle();
  readonly replies: ClientReply[] = [];
  readonly upstream = new UpstreamClient(gatewayConfig.parse({ address: 'http://gateway.invalid' }), []);
  private readonly server: Server;

  private constructor(private readonly options: RelayOptions) {
    this.server = createServer((_request, response) => {
      const limits = { stall: 0, buffered: 0, ...options.limits };
      const reply = new ClientReply(response, 'req-1', this.lifecycle, limits);
      this.replies.push(reply);
      this.serve(reply).catch((error: unknown) => {
        reply.fail(asCoordinatorError(error));
      });
    });
  }

  static async start(options: RelayOptions): Promise<Relay> {
    const relay = new Relay(options);
    await new Promise<void>((resolve) => relay.server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get url(): string {
    // a server that listens on a port has an address of this kind
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** How the first reply ended. */
  async end(): Promise<ReplyEnd | undefined> {
    return this.replies[0]?.end;
  }

  async close(): Promise<void> {
    this.upstream.onApplicationShutdown();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(reply: ClientReply): Promise<void> {
    reply.keepAlive(this.options.heartbeat ?? 0);
    await reply.send(await this.options.answer(reply, this.upstream));
  }
}

/** What the upstream says, as a decode gets it. */
export function decoded(base: string, reply: ClientReply, client: UpstreamClient): Promise<UpstreamReply> {
  return client.send({
    scope: { id: reply.requestId, signal: reply.signal, headers: [], trace: {} },
    upstream: 'decode',
    step: 'decode',
    method: 'POST',
    base,
    path: '/v1/chat/completions',
    headers: ['content-type', 'application/json'],
    body: [Buffer.from('{}')],
    headLimit: { ms: 0, setting: 'gateway.timeout' },
    idleLimit: { ms: 0, setting: 'gateway.stream_idle_timeout' },
    signal: reply.signal,
  });
}

export const REQUEST = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n';

/** The head of an event stream, and what frames its parts. */
export const STREAM_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
export const LAST_CHUNK = '0\r\n\r\n';

/** Bytes as one chunk of a chunked body; one character is one byte. */
export function chunk(bytes: string): Buffer {
  return Buffer.from(`${bytes.length.toString(16)}\r\n${bytes}\r\n`, 'latin1');
}

/** The body in raw text of a chunked answer, and whether it was ended in order. */
export function dechunked(text: string): { head: string; body: string; isWhole: boolean; chunks: string[] } {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  let left = rest.join('\r\n\r\n');
  const chunks: string[] = [];
  for (let size = Number.parseInt(left, 16); size > 0; size = Number.parseInt(left, 16)) {
    const start = left.indexOf('\r\n') + 2;
    chunks.push(left.slice(start, start + size));
    left = left.slice(start + size + 2);
  }
  return { head, body: chunks.join(''), isWhole: left === LAST_CHUNK, chunks };
}
