import { request as httpRequest } from 'node:http';
import { PIXEL } from './telemetry-cluster.fixture.ts';

/** What a client got; without a status, nothing. */
export interface ClientAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Whether the answer came to its proper end. */
  readonly isComplete: boolean;
}

export interface ClientOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON value, or text that is sent as it is. */
  readonly body?: unknown;
  /** Aborts the request, wherever it is. */
  readonly signal?: AbortSignal;
  /** Told of each piece of the answer. */
  readonly onData?: (text: string) => void;
}

/** A chat that asks for a stream. @param changes fields beside those that every chat has */
export function aChat(changes: object = {}): object {
  return { model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: true, ...changes };
}

/** A chat with so many pictures: the first at the URL where there is one, the rest inline. */
export function aChatWithImages(count: number, url?: string): object {
  const images = Array.from({ length: count }, (_, index) => ({
    type: 'image_url',
    image_url: { url: index === 0 && url !== undefined ? url : `data:image/png;base64,${PIXEL}` },
  }));
  return aChat({ messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }, ...images] }] });
}

/** Sends a request on a connection of its own and waits until the answer is over, whichever way. */
export function send(url: string, options: ClientOptions = {}): Promise<ClientAnswer> {
  const { method = 'POST', path = '/v1/chat/completions', body, signal, onData } = options;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers };
  return new Promise((resolve) => {
    const nothing = (): void => resolve({ status: undefined, headers: {}, text: '', isComplete: false });
    const request = httpRequest(new URL(path, url), {
      method,
      headers,
      agent: false,
      ...(signal === undefined ? {} : { signal }),
    });
    request.once('error', nothing).once('response', (response) => {
      let received = '';
      request.off('error', nothing).on('error', () => undefined);
      response.setEncoding('utf8');
      response.on('error', () => undefined);
      response.on('data', (piece: string) => {
        received += piece;
        onData?.(received);
      });
      response.once('close', () => {
        resolve({
          status: response.statusCode,
          headers: response.headers,
          text: received,
          isComplete: response.complete,
        });
      });
    });
    request.end(text);
  });
}
