import { Agent, request as httpRequest } from 'node:http';

/** Requests in flight. */
const PARALLEL = 4;
/** More than this many teach the compiler nothing new. */
const ENOUGH = 2_000;

const TEXT = 'word '.repeat(1_600);
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const IMAGE = { type: 'image_url', image_url: { url: PIXEL } };

/** One of each kind of request, streams being the most common. */
const REQUESTS: readonly { readonly path: string; readonly body: string }[] = [
  chat({ content: TEXT, stream: true }),
  chat({ content: 'hi "there"\n', stream: true }),
  chat({ content: TEXT, stream: false }),
  chat({ content: [{ type: 'text', text: TEXT }, IMAGE, IMAGE], stream: true }),
  { path: '/v1/completions', body: JSON.stringify({ model: 'warm-up', prompt: TEXT, stream: true }) },
];

function chat({ content, stream }: { content: unknown; stream: boolean }): { path: string; body: string } {
  const body = { model: 'warm-up', messages: [{ role: 'user', content }], max_tokens: 16, stream };
  return { path: '/v1/chat/completions', body: JSON.stringify(body) };
}

/**
 * Sends requests to a coordinator until the time is over, so that its hot path is compiled before real ones come.
 * @param budget milliseconds
 * @returns how many requests were answered
 */
export async function warmUp(url: string, budget: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  const end = performance.now() + budget;
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < end && sent < ENOUGH) {
      const request = REQUESTS[sent++ % REQUESTS.length];
      if (request !== undefined) await send(agent, url + request.path, request.body, end);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  agent.destroy();
  return sent;
}

function send(agent: Agent, url: string, body: string, end: number): Promise<void> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('close', resolve);
    });
    request.setTimeout(Math.max(1, end - performance.now()), () => request.destroy());
    request.once('error', () => {
      resolve();
    });
    request.end(body);
  });
}
