import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';

/** No connection is shared or kept: a client that leaves takes its connection with it. */
const agent = new Agent({ keepAlive: false, maxSockets: Infinity });

/** Several values of one name are several lines. */
export type SentHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Sends a chat and gives the head of the answer; nothing of the body is read until somebody does. @param signal the client leaves when it aborts */
export function openChat(
  url: string,
  chat: object,
  headers: SentHeaders = {},
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  return openBody(`${url}/v1/chat/completions`, [JSON.stringify(chat)], headers, signal);
}

/** The same for any body, in pieces; with several and no `content-length` it is chunked. */
export async function openBody(
  url: string,
  pieces: readonly (string | Buffer)[],
  headers: SentHeaders = {},
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  const sent = request(url, {
    ...(signal === undefined ? {} : { signal }),
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(headers as Record<string, string | string[]>) }, // it is not changed
  });
  for (const piece of pieces.slice(0, -1)) sent.write(piece);
  sent.end(pieces.at(-1));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]; // as ClientRequest documents it
  // a client that leaves is not told of anything more
  sent.on('error', () => undefined);
  answer.on('error', () => undefined);
  return answer;
}

/** The whole body. @throws Error when it breaks off */
export async function readText(answer: IncomingMessage): Promise<string> {
  let text = '';
  answer.setEncoding('utf8');
  for await (const piece of answer as AsyncIterable<string>) text += piece;
  return text;
}

/** Reads until the first event is there. */
export async function readFirstEvent(answer: IncomingMessage): Promise<void> {
  let text = '';
  while (!text.includes('\n\n')) {
    const [piece] = (await once(answer, 'data')) as [Buffer]; // no encoding is set
    text += piece.toString('latin1');
  }
}
