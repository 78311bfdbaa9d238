import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';

/** No connection is shared or kept: a client that leaves takes its connection with it. */
const agent = new Agent({ keepAlive: false, maxSockets: Infinity });

/** Sends a chat and gives the head of the answer; nothing of the body is read until somebody does. */
export async function openChat(
  url: string,
  chat: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  const sent = request(`${url}/v1/chat/completions`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  });
  sent.end(JSON.stringify(chat));
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
