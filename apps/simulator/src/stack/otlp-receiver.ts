import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { otlpTraces } from './otlp-trace.schema.ts';
import type { ReceivedSpan } from './otlp-trace.schema.ts';

/** Milliseconds that a span waits at most before it is sent. */
export const EXPORT_DELAY_MS = 100;
const MAX_BODY = 16 * 1024 * 1024;

/** Takes spans in on a free port of loopback, by OTLP over HTTP with JSON. */
export class OtlpReceiver {
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @param onSpans gets the spans of each export, in the order in which they ended */
  static async start(onSpans: (spans: readonly ReceivedSpan[]) => void): Promise<OtlpReceiver> {
    const server = createServer((request, response) => {
      void receive(request, response, onSpans);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // a server that listens on a port has an address of this kind
    return new OtlpReceiver(server, (server.address() as AddressInfo).port);
  }

  /** What makes a program send every span here, soon. */
  get variables(): Readonly<Record<string, string>> {
    return {
      COORDINATOR_TRACING: 'true',
      ASYNC_WORKER_TRACING: 'true',
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${this.port}`,
      OTEL_BSP_SCHEDULE_DELAY: String(EXPORT_DELAY_MS),
    };
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  onSpans: (spans: readonly ReceivedSpan[]) => void,
): Promise<void> {
  const answer = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (request.method !== 'POST' || request.url !== '/v1/traces') {
    answer(404, { message: 'POST /v1/traces' });
    return;
  }
  try {
    onSpans(otlpTraces.parse(JSON.parse(await bodyOf(request))));
    answer(200, {});
  } catch {
    answer(400, { message: 'not an export of traces in JSON' });
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
