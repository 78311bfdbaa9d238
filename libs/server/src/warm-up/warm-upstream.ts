import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HEADER } from '#protocol';

/** Tokens of a rendered prompt: enough for the loops over token arrays to be compiled. */
const TOKENS = Array.from({ length: 2_000 }, (_, index) => index + 1);
const RENDERED_TEXT = `{"token_ids":[${TOKENS.join(',')}],"features":null}`;
const RENDERED_IMAGES = JSON.stringify({
  token_ids: TOKENS,
  features: {
    mm_hashes: { image: ['a', 'b'] },
    mm_placeholders: {
      image: [
        { offset: 1, length: 4 },
        { offset: 5, length: 4 },
      ],
    },
    kwargs_data: { image: ['A'.repeat(4096), 'B'.repeat(4096)] },
  },
});
const ENCODED = '{"ec_transfer_params":{"a":{"peer_port":1},"b":{"peer_port":1}}}';
const PREFILLED =
  '{"kv_transfer_params":{"remote_engine_id":"e","remote_block_ids":[[1,2,3]],"remote_host":"h","remote_port":1}}';
const COMPLETION = '{"choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]}';
const EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}\n\n';
const EVENTS = 20;

/** Render and gateway in one, in this process, for warming up: every answer is ready-made. */
export class WarmUpstream {
  private constructor(private readonly server: Server) {}

  /** @param profileHeader the header that tells the phase, lower-case */
  static async start(profileHeader: string): Promise<WarmUpstream> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        answer(request, response, Buffer.concat(chunks), profileHeader);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new WarmUpstream(server);
  }

  get url(): string {
    // a server that listens on a port has an address of this kind
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

function answer(request: IncomingMessage, response: ServerResponse, body: Buffer, profileHeader: string): void {
  const profile = request.headers[profileHeader];
  if (request.url?.endsWith('/render') === true) {
    const isCompletions = request.url.startsWith('/v1/completions');
    const rendered = body.includes('image_url') ? RENDERED_IMAGES : RENDERED_TEXT;
    json(response, 200, isCompletions ? `[${RENDERED_TEXT}]` : rendered);
  } else if (request.headers[HEADER.prefer] === 'reserve-endpoint') {
    response.writeHead(204, { [HEADER.reservedEndpoint]: '127.0.0.1:1' }).end();
  } else if (request.headers[HEADER.prefer] !== undefined) {
    json(response, 412, '{}');
  } else if (profile === 'encode') {
    json(response, 200, ENCODED);
  } else if (profile === 'prefill') {
    json(response, 200, PREFILLED);
  } else if (body.includes('"stream":true')) {
    stream(response);
  } else {
    json(response, 200, COMPLETION);
  }
}

function json(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let left = EVENTS;
  const next = (): void => {
    if (left-- === 0) return void response.end('data: [DONE]\n\n');
    response.write(EVENT);
    setImmediate(next);
  };
  next();
}
