import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanup, FakeUpstream } from '#testing';
import type { Handler } from '#testing';
import { EndpointStore } from '../endpoint.store.ts';
import type { Endpoint, EndpointLoad } from '../endpoint.ts';
import { CoreMetricsExtractor, coreMetricsParams } from './core-metrics.extractor.ts';
import { MetricsDataSource, metricsSourceParams } from './metrics.source.ts';
import { MetricsScraper } from './metrics-scraper.ts';

const onEnd = cleanup();

beforeAll(() => {
  Logger.overrideLogger(false);
});

const exposition = (waiting: number): string =>
  `vllm:num_requests_waiting ${waiting}\nvllm:num_requests_running 1\nvllm:kv_cache_usage_perc 0.5\n` +
  'vllm:cache_config_info{block_size="16",num_gpu_blocks="100"} 1\n';

const says =
  (text: string, status = 200): Handler =>
  (_request, response) =>
    void response.writeHead(status).end(text);

async function worker(handler: Handler): Promise<FakeUpstream> {
  const upstream = await FakeUpstream.start(handler);
  onEnd(() => upstream.close());
  return upstream;
}

function endpointOf({ url }: FakeUpstream, name = 'a', labels: Record<string, string> = {}): Endpoint {
  const { hostname, port } = new URL(url);
  return { id: `ns/${name}`, namespace: 'ns', name, address: hostname, port: Number(port), labels };
}

interface Scraping {
  readonly endpoints: EndpointStore;
  readonly scraper: MetricsScraper;
  readonly failures: string[];
}

function scraping(
  parameters: Record<string, unknown> = {},
  limits: { interval?: number; timeout?: number } = {},
): Scraping {
  const endpoints = new EndpointStore();
  const failures: string[] = [];
  const settings = {
    source: { type: 'source', part: new MetricsDataSource(metricsSourceParams.parse(parameters)) },
    extractors: [{ type: 'extractor', part: new CoreMetricsExtractor(coreMetricsParams.parse(undefined)) }],
    interval: 5,
    timeout: 5000,
    ...limits,
  };
  const scraper = new MetricsScraper(settings, endpoints, {
    pollFailed: (source) => failures.push(source),
    extractFailed: (source, extractor) => failures.push(`${source}/${extractor}`),
  });
  scraper.start();
  onEnd(() => scraper.close());
  return { endpoints, scraper, failures };
}

/** Done when what is looked at has come to be so; the test's own limit ends it otherwise. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(2);
}

const loadOf = (endpoints: EndpointStore, name = 'a'): EndpointLoad | undefined => endpoints.get(`ns/${name}`)?.load;

describe('MetricsScraper', () => {
  it('keeps the load of an endpoint up to date', async () => {
    let waiting = 1;
    const upstream = await worker((_request, response) => void response.end(exposition(waiting)));
    const { endpoints, failures } = scraping();
    endpoints.replace([endpointOf(upstream)]);
    await until(() => loadOf(endpoints)?.waiting === 1);
    expect(loadOf(endpoints)).toEqual({
      waiting: 1,
      running: 1,
      kvUsage: 0.5,
      blockSize: 16,
      blocks: 100,
      updatedAt: expect.any(Number),
    });
    waiting = 2;
    await until(() => loadOf(endpoints)?.waiting === 2);
    expect(failures).toEqual([]);
  });

  it('asks over one connection that is kept', async () => {
    const upstream = await worker(says(exposition(1)));
    const { endpoints } = scraping();
    endpoints.replace([endpointOf(upstream)]);
    await upstream.received(5);
    expect(upstream.connections).toBe(1);
    expect(upstream.requests[0]).toMatchObject({ method: 'GET', path: '/metrics' });
  });

  it('asks where the parameters say', async () => {
    const upstream = await worker(says(exposition(3)));
    const { port } = endpointOf(upstream);
    const { endpoints } = scraping({ port, path: '/other' });
    endpoints.replace([{ ...endpointOf(upstream), port: 1 }]);
    await until(() => loadOf(endpoints)?.waiting === 3);
    expect(upstream.requests[0]?.path).toBe('/other');
  });

  it('reads an endpoint as its label says, also when the label came later', async () => {
    const upstream = await worker(says('sglang:num_queue_reqs 9\n'));
    const { endpoints } = scraping();
    endpoints.replace([endpointOf(upstream)]);
    await upstream.received(1);
    endpoints.replace([endpointOf(upstream, 'a', { 'llm-d.ai/engine-type': 'sglang' })]);
    await until(() => loadOf(endpoints)?.waiting === 9);
  });

  it('keeps what a scrape does not say, and counts that it did not', async () => {
    let text = exposition(4);
    const upstream = await worker((_request, response) => void response.end(text));
    const { endpoints, failures } = scraping();
    endpoints.replace([endpointOf(upstream)]);
    await until(() => loadOf(endpoints)?.waiting === 4);
    text = 'vllm:num_requests_running 8\n';
    await until(() => loadOf(endpoints)?.running === 8);
    expect(loadOf(endpoints)?.waiting).toBe(4);
    expect(failures).toContain('source/extractor');
  });

  it('does not call a load new when nothing of it was there', async () => {
    const upstream = await worker(says('other 1\n'));
    const { endpoints, failures } = scraping();
    endpoints.replace([endpointOf(upstream)]);
    await until(() => failures.length > 0);
    expect(loadOf(endpoints)?.updatedAt).toBeUndefined();
  });

  it.each([
    { what: 'another status', handler: says(exposition(1), 503) },
    { what: 'a redirect', handler: says(exposition(1), 302) },
    { what: 'a connection that breaks', handler: (_request, response) => void response.destroy() },
    { what: 'an answer that is too long', handler: says(`${exposition(1)}${'# x\n'.repeat(1024 * 1024)}`) },
    { what: 'an answer that does not come', handler: () => undefined },
    {
      what: 'an answer that does not end',
      handler: (_request, response) => void response.write(exposition(1)),
    },
  ])('counts $what, leaves the load alone and goes on', async ({ handler }) => {
    const upstream = await worker(handler);
    const { endpoints, failures } = scraping({}, { timeout: 100 });
    endpoints.replace([endpointOf(upstream)]);
    await until(() => failures.length >= 2);
    expect(new Set(failures)).toEqual(new Set(['source']));
    expect(loadOf(endpoints)?.updatedAt).toBeUndefined();
    upstream.handler = says(exposition(6));
    await until(() => loadOf(endpoints)?.waiting === 6);
  });

  it('goes on with the others when an address is none', async () => {
    const upstream = await worker(says(exposition(1)));
    const { endpoints, failures } = scraping();
    endpoints.replace([{ ...endpointOf(upstream), address: 'a/b' }, endpointOf(upstream, 'b')]);
    await until(() => loadOf(endpoints, 'b')?.waiting === 1);
    expect(failures).toEqual(['source']);
  });

  it('counts an endpoint that nobody listens at', async () => {
    const upstream = await worker(says(''));
    const endpoint = endpointOf(upstream);
    await upstream.close();
    const { endpoints, failures } = scraping();
    endpoints.replace([endpoint]);
    await until(() => failures.length >= 2);
    expect(loadOf(endpoints)?.updatedAt).toBeUndefined();
  });

  it('leaves ticks out while a scrape runs', async () => {
    let answer: (() => void) | undefined;
    const upstream = await worker((_request, response) => {
      answer = () => response.end(exposition(1));
    });
    const fast = await worker(says(exposition(1)));
    const { endpoints } = scraping();
    endpoints.replace([endpointOf(upstream), endpointOf(fast, 'b')]);
    // the other loop shows how many ticks have passed
    await Promise.all([upstream.received(1), fast.received(10)]);
    expect(upstream.requests).toHaveLength(1);
    answer?.();
    await upstream.received(2);
  });

  it('lets go of an endpoint that has gone', async () => {
    const upstream = await worker(says(exposition(1)));
    const { endpoints } = scraping();
    endpoints.replace([endpointOf(upstream)]);
    await upstream.received(2);
    endpoints.replace([]);
    await until(() => upstream.openConnections === 0);
    const asked = upstream.requests.length;
    const other = await worker(says(exposition(1)));
    endpoints.replace([endpointOf(other, 'b')]);
    await other.received(5);
    expect(upstream.requests).toHaveLength(asked);
  });

  it('does not take the late answer of an endpoint for that of its successor', async () => {
    const old = await worker(() => undefined);
    const next = await worker(says(exposition(2)));
    const { endpoints } = scraping();
    endpoints.replace([endpointOf(old)]);
    await old.received(1);
    endpoints.replace([endpointOf(next)]);
    await until(() => loadOf(endpoints)?.waiting === 2);
    await until(() => old.openConnections === 0);
  });

  it('stops with everything when it is closed', async () => {
    const upstream = await worker(says(exposition(1)));
    const stuck = await worker(() => undefined);
    const { endpoints, scraper } = scraping();
    endpoints.replace([endpointOf(upstream), endpointOf(stuck, 'b')]);
    await Promise.all([upstream.received(1), stuck.received(1)]);
    await scraper.close();
    await until(() => upstream.openConnections + stuck.openConnections === 0);
    endpoints.replace([endpointOf(upstream, 'c')]);
    expect(upstream.openConnections).toBe(0);
  });

  it('says once that an endpoint cannot be scraped, and once that it can again', async () => {
    const lines: unknown[] = [];
    const keep = (fields: unknown, message: unknown): void => void lines.push([fields, message]);
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
    onEnd(() => Logger.overrideLogger(false));
    let isWell = false;
    const upstream = await worker(
      (_request, response) => void response.writeHead(isWell ? 200 : 500).end(exposition(1)),
    );
    const { endpoints, failures } = scraping();
    endpoints.replace([endpointOf(upstream)]);
    await until(() => failures.length >= 3);
    isWell = true;
    await until(() => endpoints.get('ns/a')?.load.waiting === 1);
    expect(lines).toEqual([
      [expect.objectContaining({ endpoint: 'ns/a' }), 'an endpoint cannot be scraped'],
      [{ endpoint: 'ns/a' }, 'an endpoint is scraped again'],
    ]);
  });
});
