/**
 * The floor: what the platform must cost. It takes the same requests, makes the same calls with prebuilt bodies of the same
 * size and relays the last answer, and looks at nothing. Of the configuration it reads the addresses.
 *
 *   node test/bench/floor.mjs --config FILE
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { parse } from 'yaml';
import { workloadNamed } from './workloads/catalogue.mjs';
import { WORKLOAD_HEADER, floorCalls } from './workloads/exchange.mjs';

const { values } = parseArgs({ options: { config: { type: 'string' } } });
const config = parse(readFileSync(values.config, 'utf8'));
const [host, port] = config.server.listen_addr.split(':');
const limits = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 90_000, allowH2: false };
const pool = new Pool(config.gateway.address, limits);
const steps = new Map();

createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
  if (request.method === 'GET') return void response.end('ok');
  const name = request.headers[WORKLOAD_HEADER];
  request.resume().once('end', () => void serve(name, response));
}).listen(Number(port), host, 4_096);

process.once('SIGTERM', () => process.exit(0));

async function serve(name, response) {
  try {
    const last = stepsOf(name).at(-1);
    for (const { calls, parallel } of stepsOf(name).slice(0, -1)) await inParallel(calls, parallel, name);
    pool.dispatch(options(name, last.calls[0]), new Relay(response));
  } catch {
    response.destroy();
  }
}

/** The calls of a workload, built when it is first asked for. */
function stepsOf(name) {
  const known = steps.get(name) ?? floorCalls(workloadNamed(name));
  steps.set(name, known);
  return known;
}

async function inParallel(calls, parallel, name) {
  if (calls.length === 1) return dropped(name, calls[0]);
  let next = 0;
  const worker = async () => {
    while (next < calls.length) await dropped(name, calls[next++]);
  };
  await Promise.all(Array.from({ length: Math.min(parallel, calls.length) }, worker));
}

function dropped(name, call) {
  return new Promise((resolve, reject) => void pool.dispatch(options(name, call), new Dropped(resolve, reject)));
}

function options(name, { path, headers, body }) {
  const common = ['content-type', 'application/json', 'authorization', 'Bearer bench-token', WORKLOAD_HEADER, name];
  return { method: 'POST', path, headers: [...headers, ...common], body };
}

/** An answer that is dropped. */
class Dropped {
  constructor(onEnd, onError) {
    Object.assign(this, { onResponseEnd: onEnd, onResponseError: (_, error) => onError(error) });
  }
  onRequestStart() {}
  onResponseStart() {}
  onResponseData() {}
}

/** The last answer, relayed as it comes and as fast as the client takes it. */
class Relay {
  constructor(response) {
    this.response = response.once(
      'close',
      () => this.isDone || this.controller?.abort(new Error('the client has left')),
    );
    response.on('drain', () => this.controller.resume());
  }
  onRequestStart(controller) {
    this.controller = controller;
  }
  onResponseStart(_, status, { 'content-type': type }) {
    this.response.writeHead(status, { 'content-type': type }).flushHeaders();
  }
  onResponseData(_, chunk) {
    if (!this.response.write(chunk)) this.controller.pause();
  }
  onResponseEnd() {
    this.isDone = true;
    this.response.end();
  }
  onResponseError() {
    this.response.destroy();
  }
}
