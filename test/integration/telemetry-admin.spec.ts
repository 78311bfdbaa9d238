import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { z } from 'zod';
import { renderEffective } from '#config';
import { createApp } from '#runtime';
import { AdminModule, JsonLogger } from '#telemetry';
import type { AdminSources } from '#telemetry';
import { ObservedCoordinator } from './telemetry.fixture.ts';
import { aChat, send } from './telemetry-client.fixture.ts';
import { sharedCluster } from './telemetry-shared.fixture.ts';

const TOKEN = 'ADMIN-SECRET';
const BEARER = { authorization: `Bearer ${TOKEN}` };

const cluster = await sharedCluster();
let coordinator: ObservedCoordinator;
let logger: JsonLogger;
let lines: string[] = [];
const apps: NestFastifyApplication[] = [];

beforeEach(async () => {
  coordinator = await ObservedCoordinator.start(cluster, {
    steps: ['render', 'prefill', 'decode'],
    admin: { token: TOKEN },
  });
  lines = [];
  logger = new JsonLogger(2, 'test', { write: (line) => void lines.push(line) });
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  await coordinator.close();
});

/** Opens the admin listener of the coordinator. @returns where it is */
async function admin(changes: Partial<AdminSources> = {}): Promise<string> {
  const module = AdminModule.register({
    metrics: coordinator.metrics,
    recorder: coordinator.recorder,
    logger,
    token: TOKEN,
    effectiveConfig: renderEffective(coordinator.effective),
    pipeline: { steps: ['render', 'prefill', 'decode'] },
    version: '1.2.3',
    readiness: () => ({ phase: coordinator.lifecycle.phase, isReady: coordinator.lifecycle.isReady, dependencies: [] }),
    drain: () => coordinator.lifecycle.advance('draining'),
    ...changes,
  });
  const app = await createApp(module, { logger, readTimeout: 0 });
  apps.push(app);
  await app.init();
  lines.length = 0;
  return app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
}

async function ask(url: string, path: string, init: RequestInit = {}) {
  const answer = await fetch(url + path, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const line = z.looseObject({ 'x-request-id': z.string() });
const listing = z.object({ in_flight: z.array(line), finished: z.array(line) });

describe('GET /admin/requests', () => {
  it('lists what is in flight and what has finished, without content', async () => {
    const url = await admin();
    let finish: () => void = () => undefined;
    cluster.handlers.prefill = async (response) => {
      await new Promise<void>((resolve) => (finish = resolve));
      response.end('{}');
    };
    const messages = [{ role: 'user', content: 'SECRET-PROMPT' }];
    const headers = { 'x-request-id': 'open', authorization: 'Bearer SECRET-KEY' };
    const answer = send(coordinator.url, { headers, body: aChat({ messages }) });
    await cluster.received('prefill');
    const open = await ask(url, '/admin/requests');
    finish();
    await answer;
    await coordinator.idle();
    const closed = await ask(url, '/admin/requests');
    expect(listing.parse(JSON.parse(open.text))).toMatchObject({
      in_flight: [{ 'x-request-id': 'open' }],
      finished: [],
    });
    expect(listing.parse(JSON.parse(closed.text))).toMatchObject({
      in_flight: [],
      finished: [{ 'x-request-id': 'open', outcome: 'completed', status: 200, execution_path: 'prefill-decode' }],
    });
    expect(open.text + closed.text + (await ask(url, '/admin/requests/open')).text).not.toContain('SECRET');
  });

  it('has the timeline of one, and of each that had its id', async () => {
    const url = await admin();
    for (const path of ['/v1/chat/completions', '/v1/chat/completions?again']) {
      await send(coordinator.url, { path, headers: { 'x-request-id': 'twice' }, body: aChat() });
    }
    await coordinator.idle();
    const { requests } = z
      .object({
        requests: z.array(z.object({ calls: z.array(z.object({ upstream: z.string() })), outcome: z.string() })),
      })
      .parse(JSON.parse((await ask(url, '/admin/requests/twice')).text));
    const upstreams = ['render', 'prefill', 'decode'].map((upstream) => ({ upstream }));
    expect(requests).toEqual([1, 2].map(() => ({ outcome: 'completed', calls: upstreams })));
  });

  it('is 404 for an id that nobody had, as an error object', async () => {
    const { status, text, headers } = await ask(await admin(), '/admin/requests/none');
    expect([status, headers.get('content-type')]).toEqual([404, expect.stringContaining('application/json')]);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'not_found' } });
  });
});

describe('what else the admin listener shows', () => {
  it('is the configuration as it is in effect, without secrets', async () => {
    const { status, text } = await ask(await admin(), '/admin/config');
    expect(status).toBe(200);
    expect(text).toContain(`address: ${cluster.url}`);
    expect(text).toMatch(/^admin:\n {2}token: .*REDACTED/m);
    expect(text).not.toContain(TOKEN);
  });

  it('is the pipeline', async () => {
    const { text } = await ask(await admin(), '/admin/pipeline');
    expect(JSON.parse(text)).toEqual({ steps: ['render', 'prefill', 'decode'] });
  });

  it('is the state of the process', async () => {
    const { text } = await ask(await admin(), '/admin/status');
    expect(JSON.parse(text)).toMatchObject({
      version: '1.2.3',
      in_flight: 0,
      log_level: 2,
      phase: 'serving',
      isReady: true,
    });
  });

  it.each(['/admin', '/admin/nothing', '/admin/log-level'])('is no more: GET %s is 404', async (path) => {
    const { status, text } = await ask(await admin(), path);
    expect([status, JSON.parse(text)]).toEqual([404, { error: expect.objectContaining({ code: 'not_found' }) }]);
  });
});

describe('the token of the admin listener', () => {
  it('is not needed to read on loopback, but where a proxy speaks for others', async () => {
    const url = await admin();
    const forwarded = { 'x-forwarded-for': '203.0.113.7' };
    for (const path of ['/admin/requests', '/admin/config', '/admin/pipeline', '/admin/status']) {
      expect((await ask(url, path)).status).toBe(200);
      expect((await ask(url, path, { headers: forwarded })).status).toBe(401);
      expect((await ask(url, path, { headers: { ...forwarded, ...BEARER } })).status).toBe(200);
    }
  });

  it.each([
    { host: 'localhost:9090', status: 200 },
    { host: '127.0.0.1', status: 200 },
    { host: '[::1]:9090', status: 200 },
    { host: 'rebound.example:9090', status: 401 },
    { host: '127.0.0.1.rebound.example', status: 401 },
  ])('is needed to read by a name that only leads here: $host is $status', async ({ host, status }) => {
    const request = get(`${await admin()}/admin/requests`, { headers: { host } });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(status);
  });

  it.each([
    ['PUT', '/admin/log-level', '{"level":5}'],
    ['POST', '/admin/drain', undefined],
  ])('is always needed to %s %s', async (method, path, body) => {
    const send = { method, ...(body === undefined ? {} : { body }) };
    const [url, closed] = [await admin(), await admin({ token: '' })];
    expect((await ask(url, path, send)).status).toBe(401);
    expect((await ask(url, path, { ...send, headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await ask(closed, path, send)).status).toBe(403);
    expect((await ask(closed, path, { ...send, headers: { authorization: 'Bearer ' } })).status).toBe(403);
    expect([logger.verbosity.current, coordinator.lifecycle.phase]).toEqual([2, 'serving']);
    expect((await ask(url, path, { ...send, headers: BEARER })).status).toBe(200);
  });

  it('is not asked for /metrics, which scrapers read', async () => {
    expect((await ask(await admin(), '/metrics', { headers: { 'x-forwarded-for': '203.0.113.7' } })).status).toBe(200);
  });
});

describe('PUT /admin/log-level', () => {
  it('takes effect at once, and is told', async () => {
    const url = await admin();
    const put = (level: number) =>
      ask(url, '/admin/log-level', { method: 'PUT', headers: BEARER, body: `{"level":${level}}` });
    logger.debug('hidden');
    expect(JSON.parse((await put(4)).text)).toEqual({ level: 4 });
    logger.debug('shown');
    await put(1);
    logger.log('hidden');
    const said = lines.map((one) => z.looseObject({ body: z.string() }).parse(JSON.parse(one)).body);
    expect(said).toEqual(['shown']);
    expect(JSON.parse((await ask(url, '/admin/status')).text)).toMatchObject({ log_level: 1 });
  });

  it.each([
    '',
    '{}',
    '{"level":0}',
    '{"level":6}',
    '{"level":2.5}',
    '{"level":"2"}',
    '[2]',
    'null',
    'level',
    'x'.repeat(5000),
  ])('refuses %j', async (body) => {
    const { status } = await ask(await admin(), '/admin/log-level', { method: 'PUT', headers: BEARER, body });
    expect([status, logger.verbosity.current]).toEqual([400, 2]);
  });
});

describe('POST /admin/drain', () => {
  it('turns readiness off, while requests are served on', async () => {
    const url = await admin();
    expect((await ask(coordinator.url, '/readyz')).status).toBe(200);
    const { status, text } = await ask(url, '/admin/drain', { method: 'POST', headers: BEARER });
    expect([status, JSON.parse(text)]).toEqual([200, { phase: 'draining' }]);
    expect((await ask(coordinator.url, '/readyz')).status).toBe(503);
    expect((await ask(coordinator.url, '/healthz')).status).toBe(200);
    expect((await send(coordinator.url, { body: aChat() })).text).toContain('[DONE]');
    expect((await ask(url, '/admin/drain', { method: 'POST', headers: BEARER })).status).toBe(200);
  });
});
