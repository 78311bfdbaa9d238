import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createApp } from '#runtime';
import { AdminModule, FlightRecorder, JsonLogger, Metrics } from '#telemetry';
import { aRecord } from '../../libs/telemetry/src/request-record.fixture.ts';

const timelines = z.object({
  'x-request-id': z.string(),
  steps: z.array(z.unknown()),
  calls: z.array(z.unknown()),
});
const listing = z.object({ in_flight: z.array(timelines), finished: z.array(timelines) });
/** As a proxy on this machine sends it: not from loopback, then. */
const REMOTE = { 'x-forwarded-for': '192.0.2.1' };

describe('what the admin page is and reads', () => {
  const metrics = new Metrics();
  const recorder = new FlightRecorder();
  let app: NestFastifyApplication;
  let url: string;

  beforeAll(async () => {
    const logger = new JsonLogger(2, 'test', { write: () => undefined });
    const module = AdminModule.register({
      metrics,
      recorder,
      logger,
      token: 'sesame',
      effectiveConfig: '',
      pipeline: {},
      version: '1.2.3',
      readiness: () => ({ phase: 'serving', isReady: true, dependencies: [] }),
      drain: () => undefined,
    });
    app = await createApp(module, { logger, readTimeout: 0 });
    await app.init();
    url = await app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
    for (const id of ['1', '2', '3']) {
      const record = aRecord(id);
      recorder.began(record);
      if (id !== '3') recorder.finished(record);
    }
    metrics.on.requests.add(['m'], 2);
    metrics.on.probes.add(['deferred']);
  });
  afterAll(() => app.close());

  it.each([{ headers: {} }, { headers: REMOTE }])('gives the page to whoever asks, $headers', async ({ headers }) => {
    const answer = await fetch(`${url}/`, { headers });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'sha256-[^' ]+'; /),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(await answer.text()).toMatch(/^<!doctype html>/);
  });

  it.each([
    { path: '/admin/status', headers: {}, status: 200 },
    { path: '/admin/status', headers: REMOTE, status: 401 },
    { path: '/admin/status', headers: { ...REMOTE, authorization: 'Bearer sesame' }, status: 200 },
    { path: '/admin/requests?timelines=1', headers: REMOTE, status: 401 },
  ])('answers $path with $headers by $status', async ({ path, headers, status }) => {
    expect((await fetch(url + path, { headers })).status).toBe(status);
  });

  it('has the figures in the status', async () => {
    expect(await (await fetch(`${url}/admin/status`)).json()).toEqual({
      version: '1.2.3',
      in_flight: 1,
      log_level: 2,
      phase: 'serving',
      isReady: true,
      dependencies: [],
      totals: {
        requests: 2,
        errors: {},
        probes: { served: 0, deferred: 1, error: 0, transport_error: 0 },
        encode: { requests: 0, calls: 0 },
      },
    });
  });

  it.each([
    { count: 1, finished: ['2'] },
    { count: 256, finished: ['2', '1'] },
  ])('lists $count of each with their timelines', async ({ count, finished }) => {
    const answer = await fetch(`${url}/admin/requests?timelines=${count}`);
    const listed = listing.parse(await answer.json());
    expect(listed.in_flight.map((one) => one['x-request-id'])).toEqual(['3']);
    expect(listed.finished.map((one) => one['x-request-id'])).toEqual(finished);
  });

  it.each(['0', '257', '1000', '-1', '1.5', 'all', '', '1&timelines=2'])('refuses timelines=%s', async (count) => {
    expect((await fetch(`${url}/admin/requests?timelines=${count}`)).status).toBe(400);
  });
});
