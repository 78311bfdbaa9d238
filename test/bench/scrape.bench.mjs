/**
 * What a scrape costs, and what it costs the streams beside it: the built coordinator after many requests for models that nobody
 * has, scraped alone and then while fifty streams run.
 *
 *   node test/bench/scrape.bench.mjs [--requests 100000] [--streams 50] [--seconds 20] [--json FILE]
 *
 * The worker and the clients are in this process, the coordinator is in its own; a gap is the time between two events of one
 * stream as its client sees them. The worker sends one every 20 ms.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from './programs/free-port.mjs';

const MAIN = fileURLToPath(new URL('../../dist/apps/coordinator/main.js', import.meta.url));
/** Milliseconds between two events of a stream, and between two scrapes. */
const [PACE, SCRAPE_EVERY] = [20, 2000];
const PARALLEL = 32;
const FORMATS = { text: 'text/plain', openmetrics: 'application/openmetrics-text;version=1.0.0' };
const USAGE =
  '{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}';
const EVENTS = [
  '{"choices":[{"delta":{"content":"a"}}]}',
  '{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}',
  USAGE,
  '[DONE]',
];

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    streams: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '20' },
    json: { type: 'string' },
  },
});
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
const worker = await startWorker();
const coordinator = await startCoordinator(worker.port);
try {
  const results = await measured();
  for (const [name, figure] of Object.entries(results)) process.stdout.write(`${name.padEnd(42)} ${figure}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
} finally {
  coordinator.stop();
  agent.destroy();
  worker.close();
}

async function measured() {
  const results = {};
  const rssBefore = coordinator.rssMiB();
  const began = performance.now();
  await sendJunk(Number(values.requests));
  results['requests for models that nobody has'] = values.requests;
  results['requests a second'] = round((Number(values.requests) / (performance.now() - began)) * 1000);
  results['resident memory before, after (MiB)'] = `${round(rssBefore)}, ${round(coordinator.rssMiB())}`;
  for (const [format, accept] of Object.entries(FORMATS)) {
    const scrapes = [];
    for (let round = 0; round < 10; round++) scrapes.push(await scrape(accept));
    results[`lines, MB (${format})`] = `${scrapes[0].lines}, ${round(scrapes[0].bytes / 1e6)}`;
    results[`scrape alone, median and longest (ms, ${format})`] = middleAndEnd(scrapes.map(({ ms }) => ms));
  }
  const calm = await gapsDuring(() => sleep((Number(values.seconds) * 1000) / 2));
  results['gap between events, no scrape: p50 p99 max (ms)'] = percentiles(calm);
  const times = [];
  const busy = await gapsDuring(async () => {
    for (let left = Number(values.seconds) * 1000; left > 0; left -= SCRAPE_EVERY) {
      times.push((await scrape(Object.values(FORMATS)[times.length % 2])).ms);
      await sleep(SCRAPE_EVERY);
    }
  });
  results['gap between events, scraped: p50 p99 max (ms)'] = percentiles(busy);
  results['scrape beside the streams, median, longest (ms)'] = middleAndEnd(times);
  return results;
}

/** Every third is a stream that is served, every third an answer, every third refused. */
async function sendJunk(count) {
  let sent = 0;
  const client = async () => {
    while (sent < count) {
      const index = sent++;
      const body = JSON.stringify({ model: `junk-${index}`, prompt: 'x', stream: index % 3 === 0, seed: index % 3 });
      await exchange('POST', `${coordinator.url}/v1/completions`, { 'content-type': 'application/json' }, body);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, client));
}

async function scrape(accept) {
  const began = performance.now();
  const text = await exchange('GET', coordinator.metricsUrl, { accept });
  return { ms: performance.now() - began, bytes: text.length, lines: text.split('\n').length };
}

/** Milliseconds between the events of streams that run for as long as the work does. */
async function gapsDuring(work) {
  const gaps = [];
  const leaving = new AbortController();
  const streams = Array.from({ length: Number(values.streams) }, () => followStream(gaps, leaving.signal));
  await sleep(500);
  gaps.length = 0;
  await work();
  leaving.abort();
  await Promise.all(streams);
  return gaps;
}

function followStream(gaps, signal) {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'x-endless': '1' };
    const request = httpRequest(
      `${coordinator.url}/v1/completions`,
      { method: 'POST', agent, headers, signal },
      (response) => {
        let last;
        response.on('data', () => {
          const now = performance.now();
          if (last !== undefined) gaps.push(now - last);
          last = now;
        });
        response.on('error', resolve).on('close', resolve);
      },
    );
    request.on('error', resolve);
    request.end(JSON.stringify({ model: 'endless', prompt: 'x', stream: true }));
  });
}

function exchange(method, url, headers, body) {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => (text += piece)).on('end', () => resolve(text));
    });
    request.on('error', reject).end(body);
  });
}

async function startWorker() {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk)).on('end', () => answer(request, response, body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: server.address().port, close };
}

function answer(request, response, body) {
  if (request.headers['x-endless'] !== undefined) return endless(response);
  if (body.includes('"seed":2'))
    return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{}}');
  if (body.includes('"seed":1')) return response.writeHead(200, { 'content-type': 'application/json' }).end(USAGE);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(EVENTS.map((event) => `data: ${event}\n\n`).join(''));
}

function endless(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const timer = setInterval(() => response.write(`data: ${EVENTS[0]}\n\n`), PACE);
  response.once('close', () => clearInterval(timer));
}

async function startCoordinator(workerPort) {
  const folder = mkdtempSync(join(tmpdir(), 'scrape-bench-'));
  const [port, metrics] = [await freePort(), await freePort()];
  const config = {
    log_level: 1,
    server: { listen_addr: `127.0.0.1:${port}`, metrics_port: metrics },
    gateway: { address: `http://127.0.0.1:${workerPort}` },
    pipeline: { steps: [{ type: 'decode' }] },
  };
  writeFileSync(join(folder, 'coordinator.yaml'), JSON.stringify(config));
  const child = spawn(process.execPath, [MAIN, '--config', join(folder, 'coordinator.yaml')], { stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  while ((await exchange('GET', `${url}/readyz`, {}).catch(() => '')) !== 'ok') await sleep(50);
  return {
    url,
    metricsUrl: `http://127.0.0.1:${metrics}/metrics`,
    rssMiB: () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024,
    stop: () => {
      child.kill();
      rmSync(folder, { recursive: true });
    },
  };
}

function percentiles(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  return `${at(0.5)} ${at(0.99)} ${at(1)} of ${sorted.length}`;
}

function middleAndEnd(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  return `${round(sorted[Math.floor(sorted.length / 2)])} ${round(sorted.at(-1))}`;
}

function round(number) {
  return Math.round(number * 10) / 10;
}
