import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request as it came in. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Flat, as sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Settles when the connection of this request is gone, or its answer is finished; true when it was cut before that. */
  readonly aborted: Promise<boolean>;
}

/** Answers a request; the request is whole by then. */
export type Handler = (request: RecordedRequest, response: ServerResponse) => void | Promise<void>;

/** A real HTTP server on loopback that records what it is sent and answers as the test says. */
export class FakeUpstream {
  readonly requests: RecordedRequest[] = [];
  private readonly sockets = new Set<Socket>();
  private waiting: { count: number; resolve: () => void }[] = [];
  /** TCP connections made so far. */
  connections = 0;

  private constructor(
    private readonly server: Server,
    public handler: Handler,
  ) {}

  static async start(handler: Handler): Promise<FakeUpstream> {
    const server = createServer();
    const upstream = new FakeUpstream(server, handler);
    server.on('request', (request, response) => void upstream.handle(request, response));
    server.on('connection', (socket) => {
      upstream.connections++;
      upstream.sockets.add(socket);
      socket.once('close', () => upstream.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get url(): string {
    // a server that listens on a port has an address of this kind
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Connections open now. */
  get openConnections(): number {
    return this.sockets.size;
  }

  /** Done when so many requests have come in, whole. */
  async received(count: number): Promise<void> {
    if (this.requests.length >= count) return;
    await new Promise<void>((resolve) => this.waiting.push({ count, resolve }));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      // no encoding is set, so chunks are buffers
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      return; // it broke off, so there is nobody to answer
    }
    const recorded: RecordedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks),
      aborted: new Promise((resolve) => {
        response.once('close', () => {
          resolve(!response.writableFinished);
        });
      }),
    };
    this.requests.push(recorded);
    this.waiting = this.waiting.filter(({ count, resolve }) => {
      if (this.requests.length < count) return true;
      resolve();
      return false;
    });
    await this.handler(recorded, response);
  }
}

/** Answers with JSON text or a value. */
export function json(response: ServerResponse, body: unknown, status = 200): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}
