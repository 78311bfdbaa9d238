import { describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { DisaggObserver } from '#disaggregation';
import type { DisaggArrival, DisaggWatch } from '#disaggregation';
import { TcpPeer, cleanup, json } from '#testing';
import type { FakeUpstream, Handler } from '#testing';
import { ANSWER, aRunningSidecar, anEngine, portOf, urlOf } from '../sidecar.fixture.ts';
import type { SidecarSetting } from '../sidecar.fixture.ts';
import type { RunningSidecar } from '../start.ts';

const later = cleanup();
const CHAT = '/v1/chat/completions';
const ROUTING = {
  'x-encoder-hosts-ports': '10.0.0.1:1',
  'x-kv-cache-source-host-port': '10.0.0.2:1',
  'x-prefiller-host-port': '',
};

async function upstream(answer?: Handler): Promise<FakeUpstream> {
  const engine = await anEngine(answer);
  later(() => engine.close());
  return engine;
}

/** Closed behind the test. */
async function open(engine: FakeUpstream, setting?: SidecarSetting): Promise<RunningSidecar> {
  const sidecar = await aRunningSidecar(engine, setting);
  later(() => sidecar.shutdown.run('SIGTERM'));
  return sidecar;
}

describe('requests to the sidecar', () => {
  it.each([
    ['POST', CHAT],
    ['POST', '/v1/embeddings'],
    ['GET', '/v1/models'],
  ])('lose the routing headers, whatever becomes of them: %s %s (H9)', async (method, path) => {
    const engine = await upstream();
    const sidecar = await open(engine);
    await fetch(urlOf(sidecar) + path, { method, headers: ROUTING, ...(method === 'GET' ? {} : { body: '{}' }) });
    expect(engine.requests).toHaveLength(1);
    const { headers } = engine.requests[0] ?? {};
    for (const name of Object.keys(ROUTING)) expect(headers).not.toHaveProperty(name);
  });

  it.each([CHAT, '/v1/models'])('keep their other headers on the way to the engine: %s', async (path) => {
    const engine = await upstream();
    const url = urlOf(await open(engine));
    const own = {
      authorization: 'Bearer x',
      'x-custom': 'a',
      prefer: 'if-available',
      'x-llm-d-revision-decision-id': 'r',
      'x-request-id': 'id-1',
      'x-forwarded-for': '10.9.9.9',
    };
    const answer = await fetch(url + path, { method: 'POST', body: '{}', headers: own });
    const { headers } = engine.requests[0] ?? {};
    expect(headers).toMatchObject({
      ...own,
      'x-forwarded-for': expect.stringMatching(/^10\.9\.9\.9, .*127\.0\.0\.1$/),
    });
    expect(answer.headers.get('x-request-id')).toBe('id-1');
  });

  it('have an id made for them where theirs is none, the same on the way back', async () => {
    const engine = await upstream();
    const url = urlOf(await open(engine));
    const answer = await fetch(url + CHAT, { method: 'POST', body: '{}', headers: { 'x-request-id': 'not valid!' } });
    const id = engine.requests[0]?.headers['x-request-id'];
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('x-request-id')).toBe(id);
  });

  it('need no content type, and keep the one that they have', async () => {
    const engine = await upstream();
    const sidecar = await open(engine);
    const client = await TcpPeer.to(urlOf(sidecar));
    const head = (path: string, headers = ''): string =>
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n${headers}\r\n{}`;
    const heads = [head(CHAT), head('/score'), head(CHAT, 'content-type: application/json; charset=utf-8\r\n')];
    for (const [index, each] of heads.entries()) await client.send(each).until(ANSWER, index + 1);
    expect(engine.requests.map(({ headers }) => headers['content-type'])).toEqual([
      undefined,
      undefined,
      'application/json; charset=utf-8',
    ]);
    client.end();
  });

  it('may be coded where nobody reads them here, and are refused on a leg that does', async () => {
    const engine = await upstream();
    const url = urlOf(await open(engine));
    const coded = gzipSync('{"a":1}');
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
    for (const path of [CHAT, '/v1/embeddings']) {
      expect((await fetch(url + path, { method: 'POST', body: coded, headers })).status).toBe(200);
    }
    expect(engine.requests.map((request) => request.body.equals(coded) && request.headers['content-encoding'])).toEqual(
      ['gzip', 'gzip'],
    );
    const target = { 'x-prefiller-host-port': `127.0.0.1:${portOf(engine.url)}` };
    const refused = await fetch(url + CHAT, { method: 'POST', body: coded, headers: { ...headers, ...target } });
    expect(refused.status).toBe(415);
    expect(engine.requests).toHaveLength(2);
  });

  it.each([
    [CHAT, 'as it is framed'],
    ['/v1/embeddings', 'as it is framed'],
    [CHAT, 'in chunks'],
  ])('are 413 beyond the limit, which is called as it is set: %s %s', async (path, framing) => {
    const engine = await upstream();
    const url = urlOf(await open(engine, { options: { maxBody: 1000 } }));
    const body = 'a'.repeat(1001);
    const init = { method: 'POST', duplex: 'half', body: framing === 'in chunks' ? new Blob([body]).stream() : body };
    // fetch's types do not all know duplex
    const answer = await fetch(url + path, init as RequestInit);
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({
      object: 'error',
      message: expect.stringContaining('--max-request-body-size'),
    });
  });

  it('pass HEAD, query, any method and the status of the engine', async () => {
    const engine = await upstream(({ method }, response) => {
      if (method === 'HEAD') response.writeHead(200, { 'content-length': '7', 'x-a': 'b' }).end();
      else json(response, '{}', method === 'DELETE' ? 404 : 302);
    });
    const url = urlOf(await open(engine));
    const head = await fetch(`${url}/v1/models`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.headers.get('x-a')]).toEqual([200, '7', 'b']);
    expect((await fetch(`${url}/x?a=1&a=2`, { method: 'DELETE' })).status).toBe(404);
    expect((await fetch(`${url}/x`, { method: 'OPTIONS', redirect: 'manual' })).status).toBe(302);
    expect(engine.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'HEAD /v1/models',
      'DELETE /x?a=1&a=2',
      'OPTIONS /x',
    ]);
  });

  it('may ask for a coded answer where it is passed through: scrapers do', async () => {
    const engine = await upstream((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('metric 1\n'));
    });
    const url = urlOf(await open(engine));
    const answer = await fetch(`${url}/metrics`, { headers: { 'accept-encoding': 'gzip' } });
    expect(await answer.text()).toBe('metric 1\n');
    expect(engine.requests[0]?.headers['accept-encoding']).toBe('gzip');
  });

  it('are passed through where the path is not exactly one that is driven', async () => {
    const [engine, prefill] = [await upstream(), await upstream()];
    const url = urlOf(await open(engine));
    const headers = { 'x-prefiller-host-port': `127.0.0.1:${portOf(prefill.url)}` };
    for (const path of [`${CHAT}/`, `/${CHAT}`, '/V1/chat/completions', '/v1/chat/completions/render']) {
      await fetch(url + path, { method: 'POST', body: '{}', headers });
    }
    await fetch(url + CHAT, { headers });
    expect([engine.requests.length, prefill.requests.length]).toEqual([5, 0]);
  });

  it('are told to an observer, from arrival to end', async () => {
    const seen: unknown[] = [];
    class Seen extends DisaggObserver {
      begin({ method, path, apiType, rank }: DisaggArrival): DisaggWatch {
        seen.push({ method, path, apiType, rank });
        return {
          note: (facts) => seen.push(facts),
          stage: (stage) => ({ ended: ({ status }) => seen.push(`${stage} ${status}`) }),
          answered: () => undefined,
          failed: ({ code }) => seen.push(code),
          ended: ({ status, end }) => seen.push(`${end} ${status}`),
        };
      }
    }
    const sidecar = await open(await upstream(), { surroundings: { observer: new Seen() } });
    await (await fetch(`${urlOf(sidecar)}${CHAT}?a`, { method: 'POST', body: '{}' })).text();
    await (await fetch(`${urlOf(sidecar)}/v1/models?a`)).text();
    const refused = { method: 'POST', body: '[]', headers: { 'x-prefiller-host-port': '127.0.0.1:1' } };
    await (await fetch(`${urlOf(sidecar)}/v1/responses`, refused)).text();
    await sidecar.lifecycle.idle();
    expect(seen).toEqual([
      { method: 'POST', path: CHAT, apiType: 'chat_completions', rank: 0 },
      expect.objectContaining({ disaggType: 'decode-only' }),
      'decode 200',
      'completed 200',
      { method: 'GET', path: '/v1/models', apiType: undefined, rank: 0 },
      'completed 200',
      { method: 'POST', path: '/v1/responses', apiType: 'responses', rank: 0 },
      expect.anything(),
      expect.anything(),
      expect.anything(),
      'invalid_body',
      'completed 400',
    ]);
  });
});

describe('/health', () => {
  it('says 200 and nothing more, whatever the engine says', async () => {
    const engine = await upstream();
    const url = urlOf(await open(engine));
    await engine.close();
    const answer = await fetch(`${url}/health`);
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await fetch(`${url}/health`, { method: 'HEAD' })).status).toBe(200);
  });

  it('is the engine’s for other methods', async () => {
    const engine = await upstream();
    const sidecar = await open(engine);
    expect(await (await fetch(`${urlOf(sidecar)}/health`, { method: 'POST' })).text()).toBe(ANSWER);
  });

  it('is 503 from the signal on, while all else is served on (field report 130)', async () => {
    const engine = await upstream();
    const sidecar = await open(engine, { flags: ['--drain-delay=300ms'] });
    const stopped = sidecar.shutdown.run('SIGTERM');
    expect((await fetch(`${urlOf(sidecar)}/health`)).status).toBe(503);
    expect((await fetch(urlOf(sidecar) + CHAT, { method: 'POST', body: '{}' })).status).toBe(200);
    await stopped;
    await expect(fetch(`${urlOf(sidecar)}/health`)).rejects.toThrow();
  });
});
