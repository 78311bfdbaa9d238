import { describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import type { FakeUpstream, Handler } from '#testing';
import { ANSWER, aRunningSidecar, anEngine, urlOf } from '../sidecar.fixture.ts';
import type { RunningSidecar } from '../start.ts';

const later = cleanup();

async function upstream(answer?: Handler): Promise<FakeUpstream> {
  const engine = await anEngine(answer);
  later(() => engine.close());
  return engine;
}

/** Closed behind the test. */
async function open(engine: FakeUpstream): Promise<RunningSidecar> {
  const sidecar = await aRunningSidecar(engine);
  later(() => sidecar.shutdown.run('SIGTERM'));
  return sidecar;
}

const CHAT = '/v1/chat/completions';
/** Digits beyond 2^53, a key twice, blanks, an order of its own. */
const ODD_BODY = '{ "seed": 9007199254740993,  "b":1.0,"a":1E5, "b":2, "messages":[{"role":"user","content":"é"}] }';

function post(url: string, body: string | Buffer | ReadableStream, headers: Record<string, string> = {}) {
  // streams need it, and its type is not known to all versions of fetch's types
  return fetch(url, { method: 'POST', body, headers, duplex: 'half' });
}

describe('a request without a stage elsewhere', () => {
  it.each([
    ['as it is framed', ODD_BODY],
    ['in chunks', null],
    ['empty', ''],
    ['no JSON', '\u0000nonsense'],
  ])('sends the body on byte for byte: %s', async (_, body) => {
    const engine = await upstream();
    const url = urlOf(await open(engine));
    const answer = await post(
      `${url}${CHAT}?a=1&b=%20`,
      body ?? new Blob([ODD_BODY.slice(0, 40), ODD_BODY.slice(40)]).stream(),
    );
    expect([answer.status, await answer.text()]).toEqual([200, ANSWER]);
    expect(engine.requests[0]?.body.toString()).toBe(body ?? ODD_BODY);
    expect(engine.requests[0]?.path).toBe(`${CHAT}?a=1&b=%20`);
  });

  it('sends 20 MB on as they come', async () => {
    const engine = await upstream();
    const url = urlOf(await open(engine));
    const body = Buffer.from(`{"x":"${'a'.repeat(20 * 1024 * 1024)}"}`);
    expect((await post(url + CHAT, body)).status).toBe(200);
    expect(engine.requests[0]?.body.equals(body)).toBe(true);
    expect(engine.requests[0]?.headers['content-length']).toBe(String(body.length));
  });

  it('hands events over as they come', async () => {
    let finish = (): void => undefined;
    const engine = await upstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      finish = () => response.end('data: [DONE]\n\n');
    });
    const answer = await post(urlOf(await open(engine)) + CHAT, '{"stream":true}');
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe('data: 1\n\n');
    finish();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: [DONE]\n\n');
  });

  it.each([
    ['before the answer', (): void => undefined],
    ['in the midst of it', (response: Parameters<Handler>[1]): unknown => response.writeHead(200).write('data: 1\n\n')],
  ])('calls the engine off when the client leaves %s', async (_, begin) => {
    const engine = await upstream((_request, response) => void begin(response));
    const url = urlOf(await open(engine));
    const leaving = new AbortController();
    const answer = fetch(url + CHAT, { method: 'POST', body: '{}', signal: leaving.signal });
    answer.catch(() => undefined);
    await engine.received(1);
    leaving.abort();
    expect(await engine.requests[0]?.aborted).toBe(true);
  });

  it('breaks the connection where the engine breaks its answer off', async () => {
    const engine = await upstream((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => response.destroy());
    });
    const answer = await post(urlOf(await open(engine)) + CHAT, '{}');
    await expect(answer.text()).rejects.toThrow();
  });
});
