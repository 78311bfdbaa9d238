import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RecordedRequest } from '#testing';
import { ensureEnvoy } from '../install/envoy.mjs';
import { pickerConfig } from './support/picker-config.ts';
import { metricOf } from './support/picker-metrics.ts';
import { startPickerStack } from './support/picker-stack.ts';
import type { PickerStack } from './support/picker-stack.ts';
import { ScriptedWorker } from './support/scripted.worker.ts';
import { openBody, readText } from './support/streaming.client.ts';
import type { SentHeaders } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const withEnvoy = (await ensureEnvoy()) === undefined ? describe.skip : describe;

const CHAT = '/v1/chat/completions';
const COMPLETIONS = '/v1/completions';
const REWRITE = { 'x-llm-d-model-name-rewrite': 'another' };

withEnvoy('a request through a real Envoy and its picker', () => {
  let worker: ScriptedWorker;
  let stack: PickerStack;
  beforeAll(async () => {
    worker = await ScriptedWorker.start('decode-1', 'decode', (_request, response) => void response.end('{}'));
    const picker = (endpoints: string) => ({
      name: 'decode',
      config: pickerConfig(endpoints, ['decode']),
      flags: ['--tracing=true'],
    });
    stack = await startPickerStack({ workers: [worker], picker });
    process.stdout.write(`Envoy ${await stack.envoy.version()}\n`);
  });
  afterAll(async () => {
    await stack.stop();
    await worker.close();
  });

  /** Sends it. @returns what the worker got, the answer's status with it */
  async function sent(
    path: string,
    pieces: readonly (string | Buffer)[],
    headers: SentHeaders = {},
  ): Promise<RecordedRequest> {
    const id = `request-${worker.requests.length}`;
    const answer = await openBody(`${stack.url}${path}`, pieces, { 'x-request-id': id, ...headers });
    expect([answer.statusCode, await readText(answer)]).toEqual([200, '{}']);
    return worker.request(id);
  }

  it.each([
    ['130,000 bytes', 130_000, 65_536, false],
    ['130,000 bytes, chunked', 130_000, 6200, true],
    ['10,000 bytes, one by one', 10_000, 1, true],
    ['20 MiB', 20 * 1024 * 1024, 65_536, false],
  ])('reaches the worker byte for byte, cut inside characters or not: %s', async (_, length, size, isChunked) => {
    const body = bodyOf(length);
    const pieces = Array.from({ length: Math.ceil(length / size) }, (_, i) => body.subarray(i * size, (i + 1) * size));
    const got = await sent(CHAT, pieces, isChunked ? {} : { 'content-length': String(length) });
    expect([got.body.length, hash('sha256', got.body)]).toEqual([length, hash('sha256', body)]);
    expectOneFraming(got);
  });

  it.each([true, false])(
    'whose model is rewritten has one framing, of the bytes that it has then (chunked: %s)',
    async (isChunked) => {
      const body = '{ "model" :  "naïve-model" ,\n  "prompt" : "naïve" ,  "seed": 9007199254740993 }';
      const expected = body.replace('"naïve-model"', '"another"');
      const pieces = isChunked ? [body.slice(0, 20), body.slice(20)] : [body];
      const got = await sent(COMPLETIONS, pieces, REWRITE);
      expect(got.body.toString()).toBe(expected);
      expectOneFraming(got);
      expect(got.headers).not.toHaveProperty('x-llm-d-model-name-rewrite');
    },
  );

  it.each(['9007199254740993', '9223372036854775807', '-9223372036854775808', '1.0', '1E5'])(
    'keeps the digits of %s where its model is rewritten',
    async (seed) => {
      const body = `{"model":"m","prompt":"hello","seed":${seed}}`;
      expect((await sent(COMPLETIONS, [body], REWRITE)).body.toString()).toBe(body.replace('"m"', '"another"'));
    },
  );

  it.each(['model', String.raw`mod\u0065l`])(
    'that names two models, the other as %s, is one of the last for all',
    async (key) => {
      const served = `last-${key.length}`;
      const body = `{"model":"first-${key.length}","${key}":"${served}","prompt":"hi"}`;
      expect((await sent(COMPLETIONS, [body])).body.toString()).toBe(body);
      const total = (model: string) => metricOf(stack.picker, 'llm_d_epp_request_total', { model_name: model });
      expect([await total(served), await total(`first-${key.length}`)]).toEqual([1, 0]);
      // and a rewrite leaves none of them
      const rewritten = (await sent(COMPLETIONS, [body], REWRITE)).body.toString();
      expect([...rewritten.matchAll(/first-\d|last-\d/g)]).toEqual([]);
    },
  );

  it('may have a prompt of token ids', async () => {
    const body = '{"model":"m","prompt":[151644,8948,198,151645,198],"return_token_ids":true}';
    expect((await sent(COMPLETIONS, [body])).body.toString()).toBe(body);
  });

  it('reaches no worker with words that are the picker’s, and with one destination', async () => {
    const foreign = '10.0.0.9:9090';
    const names = [
      'x-prefiller-host-port',
      'x-encoder-hosts-ports',
      'x-data-parallel-host-port',
      'x-kv-cache-source-host-port',
      'x-gateway-destination-endpoint',
      'x-gateway-destination-endpoint-served',
      'x-gateway-destination-endpoint-subset',
      'x-llm-d-inference-objective',
      'x-gateway-inference-fairness-id',
      'x-llm-d-request-dropped-reason',
    ];
    const got = await sent(CHAT, [bodyOf(200)], Object.fromEntries(names.map((name) => [name, foreign])));
    expect(got.rawHeaders.join('\n')).not.toContain('10.0.0.9');
    expect(got.headers['x-gateway-destination-endpoint']).toBe(worker.address);
  });

  it.each([
    ['once, in odd case', { Traceparent: TRACE('a') }, true],
    ['with 10 KB of baggage', { traceparent: TRACE('a'), baggage: `k=${'v'.repeat(10_000)}` }, true],
    ['twice, so that neither counts', { traceparent: [TRACE('a'), TRACE('b')] }, false],
  ] as const)('has one traceparent at the worker, ours, where the client sends it %s', async (_, headers, isChild) => {
    const lines = linesOf(await sent(CHAT, [bodyOf(200)], headers), 'traceparent');
    const [, trace, span] = lines[0]?.split('-') ?? [];
    expect([lines.length, trace === 'a'.repeat(32)]).toEqual([1, isChild]);
    expect([trace, span]).not.toContain('b'.repeat(32));
    expect(span).not.toBe('a'.repeat(16));
  });

  // the picker writes back the last value over all of them
  it('keeps headers that come twice', async () => {
    const got = await sent(CHAT, [bodyOf(200)], { 'x-tag': ['a', 'b'] });
    expect(linesOf(got, 'x-tag')).toEqual(['a', 'b']);
  });

  it('without a body goes to a worker, too', async () => {
    expect((await fetch(`${stack.url}/v1/models`)).status).toBe(200);
    expect(worker.requests.at(-1)).toMatchObject({ method: 'GET', path: '/v1/models' });
  });

  it.each([
    ['is no JSON', CHAT, '{"model":"m"', 'error unmarshaling request bodyMap'],
    ['names no model', COMPLETIONS, '{"prompt":"hi"}', 'model not found in request body'],
    ['asks nothing', CHAT, '{"model":"m"}', 'must have valid messages field'],
  ])('that %s is 400, and no worker hears of it', async (_, path, body, message) => {
    const before = worker.requests.length;
    const answer = await openBody(`${stack.url}${path}`, [body]);
    expect([answer.statusCode, await readText(answer)]).toEqual([
      400,
      expect.stringMatching(new RegExp(`^inference error: BadRequest - .*${message}`)),
    ]);
    expect(worker.requests).toHaveLength(before);
  });
});

/** A chat of so many bytes, most of them of characters that have three. */
function bodyOf(length: number): Buffer {
  const [head, tail] = ['{"model":"m","messages":[{"role":"user","content":"', '"}]}'];
  const room = length - head.length - tail.length;
  const text = '書'.repeat(Math.floor(room / 3)) + 'x'.repeat(room % 3);
  return Buffer.from(`${head}${text}${tail}`);
}

/** Envoy leaves out the length of a body that passed a picker; where one is said, it is that of the bytes. */
function expectOneFraming(got: RecordedRequest): void {
  const lengths = linesOf(got, 'content-length');
  const codings = linesOf(got, 'transfer-encoding');
  expect([String(got.body.length), 'chunked']).toContain([...lengths, ...codings].join(' and '));
}

/** The values of every line that has the name. */
function linesOf({ rawHeaders }: RecordedRequest, name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}

function TRACE(digit: string): string {
  return `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
}
