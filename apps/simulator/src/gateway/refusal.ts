import type { ServerResponse } from 'node:http';
import { WireError } from '../control/wire-error.ts';

/** The gateway's own answer, in JSON as a worker would have it. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function refusal(message: string, status = 503, headers: Readonly<Record<string, string>> = {}): Refusal {
  const body = Buffer.from(JSON.stringify(new WireError(message, status).body()));
  return {
    status,
    body,
    headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers },
  };
}

export function sendRefusal(response: ServerResponse, { status, headers, body }: Refusal): void {
  response.writeHead(status, headers).end(body);
}
