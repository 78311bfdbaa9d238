import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '#runtime';
import { AdminModule, FlightRecorder, JsonLogger, Metrics } from '#telemetry';
import { TcpPeer } from '#testing';
import { until } from './telemetry.fixture.ts';

const OPENMETRICS = 'application/openmetrics-text; version=1.0.0';
const DURATION = 'llm_d_coordinator_metrics_scrape_duration_seconds_count';

let metrics: Metrics;
let app: NestFastifyApplication;
let url = '';
const responses: ServerResponse[] = [];

beforeEach(async () => {
  metrics = new Metrics();
  const logger = new JsonLogger(1, 'test', { write: () => undefined });
  const module = AdminModule.register({
    ...{ metrics, logger, recorder: new FlightRecorder(), token: '', effectiveConfig: '', pipeline: {}, version: '1' },
    readiness: () => ({ phase: 'serving', isReady: true, dependencies: [] }),
    drain: () => undefined,
  });
  app = await createApp(module, { logger, readTimeout: 0 });
  await app.init();
  responses.length = 0;
  app.getHttpServer().on('request', (_request: IncomingMessage, response: ServerResponse) => responses.push(response));
  url = await app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  app.getHttpServer().closeAllConnections();
  await app.close();
});

/** Several megabytes. */
function measureMuch(): void {
  for (let index = 0; index < 1000; index++) {
    metrics.on.requestDuration.observe([`m${index}`], 1, 'a'.repeat(32));
    metrics.on.requestSize.observe([`m${index}`], 1);
  }
}

async function scraped(accept?: string): Promise<{ type: string | null; text: string }> {
  const answer = await fetch(`${url}/metrics`, { headers: accept === undefined ? {} : { accept } });
  return { type: answer.headers.get('content-type'), text: await answer.text() };
}

async function scrapesCounted(): Promise<number> {
  return Number(new RegExp(`^${DURATION} (\\d+)$`, 'm').exec(await metrics.registry.metrics())?.[1]);
}

// twenty pages of megabytes, on a machine that may be busy
jest.setTimeout(60_000);

describe('GET /metrics', () => {
  it('answers twenty scrapers at once, each in the format that it asks for', async () => {
    measureMuch();
    const asked = Array.from(
      { length: 20 },
      (_, index) => [undefined, 'text/plain', OPENMETRICS, `${OPENMETRICS};q=0.9,text/plain;q=0.1`][index % 4],
    );
    const answers = await Promise.all(asked.map(scraped));
    for (const [index, { type, text }] of answers.entries()) {
      const isOpen = asked[index]?.startsWith('application/') === true;
      expect(type).toBe(
        isOpen
          ? 'application/openmetrics-text; version=1.0.0; charset=utf-8'
          : 'text/plain; version=0.0.4; charset=utf-8',
      );
      expect([text.endsWith('\n# EOF\n'), text.includes('# {trace_id=')]).toEqual([isOpen, isOpen]);
      expect(text.match(/^llm_d_coordinator_request_duration_seconds_count/gm)).toHaveLength(1000);
    }
  });

  it('counts and times itself', async () => {
    for (const accept of [undefined, OPENMETRICS]) await scraped(accept);
    expect(await scrapesCounted()).toBe(2);
    expect((await scraped()).text).toContain(`${DURATION} 2\n`);
  });

  it('waits for a scraper that reads slowly, without a listener more for each piece', async () => {
    measureMuch();
    let [drains, listeners] = [0, 0];
    const bytes = await new Promise<number>((resolve) => {
      httpRequest(`${url}/metrics`, { agent: false }, (response) => {
        let received = 0;
        responses[0]?.on('drain', () => {
          drains++;
          const counts = (['close', 'error', 'drain', 'finish'] as const).map(
            (name) => responses[0]?.listenerCount(name) ?? 0,
          );
          listeners = Math.max(listeners, ...counts);
        });
        response.on('data', (chunk: Buffer) => {
          received += chunk.length;
          response.pause();
          setImmediate(() => response.resume());
        });
        response.once('end', () => resolve(received));
      }).end();
    });
    expect(bytes).toBeGreaterThan(4_000_000);
    expect(drains).toBeGreaterThan(15);
    expect(listeners).toBeLessThan(8);
  });

  it('stops for a scraper that leaves, does not count it, and answers the next', async () => {
    measureMuch();
    const peer = await TcpPeer.to(url);
    peer.socket.pause();
    peer.send('GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await until(() => responses[0]?.writableNeedDrain === true);
    peer.reset();
    await until(() => responses[0]?.destroyed === true);
    expect(await scrapesCounted()).toBe(0);
    expect((await scraped()).text).toContain('llm_d_coordinator_request_duration_seconds_count{model_name="m999"} 1\n');
    expect(await scrapesCounted()).toBe(1);
  });
});
