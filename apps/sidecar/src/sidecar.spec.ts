import { describe, expect, it } from '@jest/globals';
import { Agent, request as httpsRequest } from 'node:https';
import { RawUpstream, TcpPeer, cleanup, json } from '#testing';
import type { FakeUpstream, Handler } from '#testing';
import { ANSWER, PREFILLED, aRunningSidecar, anEngine, bodyOf, freePorts, portOf, urlOf } from './sidecar.fixture.ts';
import type { SidecarSetting } from './sidecar.fixture.ts';
import type { RunningSidecar } from './start.ts';

const later = cleanup();

async function upstream(answer?: Handler): Promise<FakeUpstream> {
  const engine = await anEngine(answer);
  later(() => engine.close());
  return engine;
}

/** Closed behind the test. */
async function open(engine: Pick<FakeUpstream, 'url'>, setting?: SidecarSetting): Promise<RunningSidecar> {
  const sidecar = await aRunningSidecar(engine, setting);
  later(() => sidecar.shutdown.run('SIGTERM'));
  return sidecar;
}

const CHAT = '/v1/chat/completions';
function post(url: string, body: string | Buffer | ReadableStream, headers: Record<string, string> = {}) {
  // streams need it, and its type is not known to all versions of fetch's types
  return fetch(url, { method: 'POST', body, headers, duplex: 'half' });
}

/** Status and body of a request to a listener whose certificate nobody signed. */
function overTls(url: string): Promise<{ status: number | undefined; body: string }> {
  const agent = new Agent({ rejectUnauthorized: false });
  return new Promise((resolve, reject) => {
    httpsRequest(url, { agent }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => {
        agent.destroy();
        resolve({ status: response.statusCode, body });
      });
    })
      .on('error', reject)
      .end();
  });
}

describe('the sidecar', () => {
  const PATHS = [CHAT, '/v1/completions', '/v1/messages', '/v1/embeddings', '/score', '/healthz', '/metrics'];

  it.each(PATHS)('passes GET %s on to the engine and its answer back (S1)', async (path) => {
    const engine = await upstream();
    const answer = await fetch(urlOf(await open(engine)) + path);
    expect([answer.status, await answer.text()]).toEqual([200, ANSWER]);
    expect(engine.requests).toMatchObject([{ method: 'GET', path }]);
  });

  it('serves HTTPS with a certificate of its own by default (S1)', async () => {
    const engine = await upstream();
    const url = urlOf(await open(engine, { flags: ['--secure-proxy=true'] }));
    expect(url).toMatch(/^https:/);
    for (const path of PATHS) expect(await overTls(url + path)).toEqual({ status: 200, body: ANSWER });
  });

  it.each(['', 'http://'])('takes the prefill target with %j in front (S2, S3)', async (scheme) => {
    const [engine, prefill] = [await upstream(), await upstream((_request, response) => json(response, PREFILLED))];
    const url = urlOf(await open(engine));
    const body =
      '{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":50,"seed":9007199254740993}';
    const target = `${scheme}127.0.0.1:${portOf(prefill.url)}`;
    const answer = await post(url + CHAT, body, { 'x-prefiller-host-port': target });
    expect([answer.status, await answer.text()]).toEqual([200, ANSWER]);
    expect([prefill.requests.length, engine.requests.length]).toEqual([1, 1]);
    const asked = bodyOf(prefill.requests[0]);
    expect(asked).toMatchObject({ stream: false, max_tokens: 1, kv_transfer_params: { do_remote_decode: true } });
    expect(asked).not.toHaveProperty('stream_options');
    expect(asked).not.toHaveProperty('do_remote_decode');
    const decoded = engine.requests[0]?.body.toString() ?? '';
    expect(decoded).toContain('"remote_block_ids":[1,9007199254740993]');
    expect(decoded).toContain('"remote_engine_id":"e"');
    expect(decoded).toContain(body.slice(0, -1));
  });

  it('has an engine behind each listener, and sends to another where the base listener is told so (S4)', async () => {
    const base = await freePorts(2);
    const engines = await freePorts(2);
    const ranks = [await rankEngine(engines), await rankEngine(engines + 1)];
    const sidecar = await aRunningSidecar(
      { url: `http://localhost:${engines}` },
      { flags: ['--data-parallel-size=2'], env: { POD_IP: '127.0.0.1' }, options: { port: base } },
    );
    later(() => sidecar.shutdown.run('SIGTERM'));
    const ask = async (rank: number, dataParallel?: number): Promise<string> => {
      const headers = dataParallel === undefined ? {} : { 'x-data-parallel-host-port': `127.0.0.1:${dataParallel}` };
      const answer = await post(`${urlOf(sidecar, rank)}/v1/completions`, '{}', headers);
      return `${answer.status} ${(await answer.text()).slice(0, 6)}`;
    };
    expect([urlOf(sidecar, 0), urlOf(sidecar, 1)].map(portOf)).toEqual([base, base + 1]);
    expect(await ask(0)).toBe('200 rank 0');
    expect(await ask(1)).toBe('200 rank 1');
    expect(await ask(0, base + 1)).toBe('200 rank 1');
    expect(await ask(0, base)).toBe('200 rank 0');
    expect(await ask(1, base)).toBe('200 rank 1');
    expect(await ask(0, base + 2)).toMatch('400');
    expect(ranks.map((rank) => rank.count())).toEqual([2, 3]);

    async function rankEngine(port: number) {
      const { createServer } = await import('node:http');
      let served = 0;
      const server = createServer((_request, response) => {
        served++;
        response.end(`rank ${port - engines}`);
      });
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      later(() => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      });
      return { count: () => served };
    }
  });

  it('has every leg carry the client’s trace, once (S5)', async () => {
    const [engine, prefill] = [await upstream(), await upstream((_request, response) => json(response, PREFILLED))];
    const url = urlOf(await open(engine));
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await post(url + CHAT, '{}', { traceparent, 'x-prefiller-host-port': `127.0.0.1:${portOf(prefill.url)}` });
    await fetch(`${url}/v1/models`, { headers: { traceparent } });
    for (const { rawHeaders } of [...prefill.requests, ...engine.requests]) {
      expect(rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'traceparent')).toEqual([
        traceparent,
      ]);
    }
  });

  it('lets interceptors give each call a trace of its own (S5)', async () => {
    const engine = await upstream();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';
    const upstreams: string[] = [];
    const sidecar = await open(engine, {
      surroundings: {
        interceptors: [
          {
            intercept: (attempt, next) => {
              upstreams.push(attempt.upstream);
              attempt.trace = { traceparent };
              return next();
            },
          },
        ],
      },
    });
    await post(urlOf(sidecar) + CHAT, '{}');
    await fetch(`${urlOf(sidecar)}/v1/models`);
    expect(engine.requests.map(({ headers }) => headers['traceparent'])).toEqual([traceparent, traceparent]);
    expect(upstreams).toEqual(['decode', 'passthrough']);
  });

  it('says 503 for an engine that is not there, in the form of vLLM (4.0)', async () => {
    const engine = await upstream();
    const url = urlOf(await open(engine));
    await engine.close();
    for (const answer of [await post(url + CHAT, '{}'), await fetch(`${url}/v1/models`)]) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(await answer.json()).toMatchObject({ object: 'error', type: 'ServiceUnavailable', param: '', code: 503 });
    }
  });

  it('asks again where a connection breaks that was kept from before (field report 84)', async () => {
    const engine = await RawUpstream.start(async (peer, nth) => {
      await peer.until('{}');
      peer.send(`HTTP/1.1 200 OK\r\ncontent-length: ${ANSWER.length}\r\n\r\n${ANSWER}`);
      if (nth > 0) return;
      await peer.until('{}', 2);
      peer.reset();
    });
    later(() => engine.close());
    const url = urlOf(await open(engine));
    for (let time = 0; time < 2; time++) {
      const answer = await post(url + CHAT, '{}');
      expect([answer.status, await answer.text()]).toEqual([200, ANSWER]);
    }
    expect(engine.peers).toHaveLength(2);
  });

  it('ends a keep-alive connection with its last answer while it drains, and takes no new one', async () => {
    let finish = (): void => undefined;
    const engine = await upstream((_request, response) => {
      finish = () => json(response, ANSWER);
    });
    const sidecar = await open(engine, { flags: ['--shutdown-timeout=30s'] });
    const client = await TcpPeer.to(urlOf(sidecar));
    client.send(`POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`);
    await engine.received(1);
    const stopped = sidecar.shutdown.run('SIGTERM');
    while (!sidecar.lifecycle.isClosing) await new Promise(setImmediate);
    await expect(TcpPeer.to(urlOf(sidecar))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    finish();
    const text = await client.rest();
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(text.toLowerCase()).toContain('connection: close');
    expect(text).toContain(ANSWER);
    await stopped;
  });
});
