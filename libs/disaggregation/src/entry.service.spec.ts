import { beforeEach, describe, expect, it } from '@jest/globals';
import { hostPortText } from '#protocol';
import { cleanup } from '#testing';
import type { FakeUpstream } from '#testing';
import { DisaggBench, answering, deadTarget, recordLogs } from './disagg.fixture.ts';
import type { LogLine } from './disagg.fixture.ts';
import { Listed, addressOf, enter, entryOf } from './entry.fixture.ts';
import type { EntryParts } from './entry.service.ts';
import { apiTypeOf } from './api-type.ts';

let bench: DisaggBench;
let first: FakeUpstream;
let second: FakeUpstream;
let encoder: FakeUpstream;
let logs: LogLine[];
const closing = cleanup();

beforeEach(async () => {
  bench = await DisaggBench.start();
  closing(() => bench.close());
  [first, second, encoder] = [await bench.worker(), await bench.worker(), await bench.worker()];
  logs = recordLogs();
});

const PREFILL = 'x-prefiller-host-port';
const ENCODE = 'x-encoder-hosts-ports';
const IMAGE = '{"messages":[{"content":[{"type":"image_url","image_url":{"url":"a"}}]}]}';
const calls = (): number[] => [encoder, first, second, bench.engine].map(({ requests }) => requests.length);

describe('the API types', () => {
  it.each([
    ['/v1/chat/completions', 'chat_completions'],
    ['/v1/responses', 'responses'],
  ])('of %s is %s', (path, type) => {
    expect(apiTypeOf(path)).toBe(type);
  });
});

describe.each(['/v1/chat/completions', '/v1/responses'])('EntryService on %s', (path) => {
  const send = (
    headers: readonly string[],
    parts: Partial<EntryParts> = {},
    body = '{"a": 9007199254740993, "a":1}',
  ): ReturnType<typeof enter> => enter(bench, entryOf(bench, parts), { path, headers, body });
  const sampling = { samplesPrefillers: true };

  it.each<[string, readonly string[]]>([
    ['no header', []],
    ['an empty header', [PREFILL, '']],
    ['empty headers', [PREFILL, '', PREFILL, '']],
    ['a blank header', [PREFILL, '  ']],
    ['a first candidate that is empty', [PREFILL, ',10.0.0.5:1']],
  ])('decodes the request as it came with %s', async (_, headers) => {
    const { answer, exchange } = await send(headers);
    expect(answer).toMatchObject({ status: 200, body: '{"id":"decoded"}' });
    expect(calls()).toEqual([0, 0, 0, 1]);
    expect(bench.engine.requests[0]?.body.toString()).toBe('{"a": 9007199254740993, "a":1}');
    expect(exchange.watch.facts).toEqual({ disaggType: 'decode-only', reason: 'no_prefill_header' });
  });

  it('passes a body on that is no JSON where nothing is to be prefilled', async () => {
    await send([], {}, 'not JSON');
    expect(bench.engine.requests[0]?.body.toString()).toBe('not JSON');
  });

  it('prefills on the one candidate', async () => {
    const { exchange } = await send([PREFILL, addressOf(first)]);
    expect(calls()).toEqual([0, 1, 0, 1]);
    expect(exchange.watch.facts).toEqual({
      disaggType: 'prefill-decode',
      prefillTarget: addressOf(first),
      prefillCandidates: 1,
    });
  });

  it.each<[string, () => string[]]>([
    ['in one line', () => [PREFILL, `${addressOf(first)},${addressOf(second)}`]],
    ['in one line with white space', () => [PREFILL, ` ${addressOf(first)} , ${addressOf(second)} `]],
    ['in two lines', () => [PREFILL, addressOf(first), PREFILL, addressOf(second)]],
    ['as URLs', () => [PREFILL, `${first.url},${second.url}`]],
  ])('prefills on the first of two candidates %s', async (_, headers) => {
    await send(headers());
    expect(calls()).toEqual([0, 1, 0, 1]);
  });

  it.each<[string, () => string[]]>([
    ['in one line', () => [PREFILL, `${addressOf(first)},${addressOf(second)}`]],
    ['in two lines', () => [PREFILL, addressOf(first), PREFILL, addressOf(second)]],
  ])('reaches both candidates %s when it samples', async (_, headers) => {
    for (let nth = 0; nth < 100 && calls().includes(0, 1); nth++) await send(headers(), sampling);
    expect(calls().slice(1, 3)).not.toContain(0);
  });

  it('samples among equal candidates', async () => {
    await send([PREFILL, `${addressOf(first)},${addressOf(first)}`], sampling);
    expect(calls()).toEqual([0, 1, 0, 1]);
  });

  it.each([['10.0.0.5'], [':8000'], ['10.0.0.5:8000/x'], ['ftp://10.0.0.5:8000'], ['300.0.0.1:80'], ['a b:80']])(
    'answers 502 to a target that is none, %s, and calls nobody',
    async (target) => {
      const { answer, exchange } = await send([PREFILL, target]);
      expect(answer).toMatchObject({ status: 502, body: expect.stringContaining('prefill could not be reached') });
      expect(calls()).toEqual([0, 0, 0, 0]);
      expect(exchange.watch.facts).toMatchObject({ reason: 'malformed_target' });
      expect(exchange.watch.ends).toEqual(['prefill: malformed_target']);
    },
  );

  it('does not try the second candidate when the first is not there', async () => {
    const { answer } = await send([PREFILL, `${hostPortText(await deadTarget())},${addressOf(second)}`]);
    expect(answer.status).toBe(502);
    expect(calls()).toEqual([0, 0, 0, 0]);
  });

  it.each<[string, Partial<EntryParts>]>([
    ['with an encode stage', {}],
    ['without one', { encode: undefined }],
  ])('sends the routing headers to nobody %s', async (_, parts) => {
    const headers = [
      ...[PREFILL, addressOf(first), ENCODE, addressOf(encoder), 'x-kv-cache-source-host-port', '10.9.9.9:1'],
      ...['X-Other', '1'],
    ];
    await send(headers, parts, IMAGE);
    for (const { requests } of [encoder, first, bench.engine]) {
      for (const request of requests) expect(Object.keys(request.headers).join()).not.toMatch(/-hosts?-/);
    }
    expect(bench.engine.requests[0]?.headers['x-other']).toBe('1');
  });

  it('answers 403 to a target that is not allowed, in plain text, and calls nobody', async () => {
    const headers = ['User-Agent', 'ua/1', 'X-Forwarded-For', '10.1.1.1, 10.2.2.2', PREFILL, '10.0.0.9:9090'];
    const { answer, exchange } = await send(headers, { allowList: new Listed('127.0.0.1') });
    expect(answer).toEqual({
      status: 403,
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'content-length': '57',
      },
      body: 'Forbidden: prefill target not allowed by SSRF protection\n',
    });
    expect(calls()).toEqual([0, 0, 0, 0]);
    expect(exchange.watch.facts).toMatchObject({ deniedTarget: '10.0.0.9:9090', reason: 'denied' });
    expect(exchange.watch.facts).not.toHaveProperty('prefillTarget');
    expect(logs).toMatchObject([
      {
        level: 'error',
        fields: { target: '10.0.0.9:9090', client: '10.1.1.1, 10.2.2.2', userAgent: 'ua/1', path },
      },
    ]);
  });

  it('answers 403 to what is no target too, where targets are looked at', async () => {
    const { answer } = await send([PREFILL, '127.0.0.1:1/x'], { allowList: new Listed('127.0.0.1') });
    expect(answer.status).toBe(403);
  });

  it('prefills on a target that is allowed, whatever its port', async () => {
    await send([PREFILL, addressOf(first)], { allowList: new Listed('127.0.0.1') });
    expect(calls()).toEqual([0, 1, 0, 1]);
  });

  it.each(['null', '[]', '"x"', '5', '{', '', '{"a":1}x'])(
    'answers 400 to the body %j where it has to be read',
    async (body) => {
      const { answer } = await send([PREFILL, addressOf(first)], {}, body);
      expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('"message":"invalid JSON: ') });
      expect(answer.body).toContain('"type":"BadRequestError"');
      expect(calls()).toEqual([0, 0, 0, 0]);
    },
  );
});

describe('EntryService with encode workers', () => {
  const send = (headers: readonly string[], parts: Partial<EntryParts> = {}, body = IMAGE): ReturnType<typeof enter> =>
    enter(bench, entryOf(bench, parts), { headers, body });

  it.each<[string, () => string[]]>([
    ['in one line', () => [ENCODE, `${addressOf(encoder)},${addressOf(second)}`]],
    ['in two lines', () => [ENCODE, addressOf(encoder), ENCODE, addressOf(second)]],
    ['with empty ones between', () => [ENCODE, `,${addressOf(encoder)}, ,${addressOf(second)},`]],
  ])('encodes on both workers that are given %s, then decodes', async (_, headers) => {
    const two = IMAGE.replace(']}]', ',{"type":"image_url","image_url":{"url":"b"}}]}]');
    const { exchange } = await send(headers(), {}, two);
    expect(calls()).toEqual([1, 0, 1, 1]);
    expect(exchange.watch.facts).toMatchObject({
      disaggType: 'encode-decode',
      encoderCandidates: 2,
      encoderAllowed: 2,
      encodeItems: 2,
    });
    expect(exchange.watch.ends).toEqual(['encode: good', 'decode: good']);
  });

  it('decodes with what the encode stage made of the body', async () => {
    await send([ENCODE, addressOf(encoder)]);
    expect(bench.engine.requests[0]?.body.toString()).toBe(`${IMAGE.slice(0, -1)},"cache_hit_threshold":0}`);
  });

  it('encodes, prefills and decodes, each once, in this order', async () => {
    const { exchange } = await send([ENCODE, addressOf(encoder), PREFILL, addressOf(first)]);
    expect(calls()).toEqual([1, 1, 0, 1]);
    expect(exchange.watch.ends).toEqual(['encode: good', 'prefill: good', 'decode: good']);
    expect(exchange.watch.facts.disaggType).toBe('encode-prefill-decode');
  });

  it.each([
    ['decodes', [], [0, 0, 0, 1], 'decode-only'],
    ['prefills and decodes', [PREFILL], [0, 1, 0, 1], 'prefill-decode'],
  ] as const)('%s where there is nothing to encode', async (_, names, expected, disaggType) => {
    const headers = [ENCODE, addressOf(encoder), ...names.flatMap((name) => [name, addressOf(first)])];
    const { exchange } = await send(headers, {}, '{"messages":[{"content":"hi"}]}');
    expect(calls()).toEqual(expected);
    expect(exchange.watch.facts).toMatchObject({ disaggType, encodeItems: 0, reason: 'no_media_items' });
    expect(bench.engine.requests[0]?.body.toString()).toContain('"cache_hit_threshold":0');
    expect(exchange.watch.ends.filter((end) => end.startsWith('encode'))).toEqual([]);
  });

  it.each([
    ['decodes', [], [0, 0, 0, 1], 'decode-only'],
    ['prefills and decodes', [PREFILL], [0, 1, 0, 1], 'prefill-decode'],
  ] as const)('%s without an encode connector', async (_, names, expected, disaggType) => {
    const headers = [ENCODE, addressOf(encoder), ...names.flatMap((name) => [name, addressOf(first)])];
    const { exchange } = await send(headers, { encode: undefined });
    expect(calls()).toEqual(expected);
    expect(exchange.watch.facts.disaggType).toBe(disaggType);
  });

  it.each([
    ['decodes', [], [0, 0, 0, 1]],
    ['prefills and decodes', [PREFILL], [0, 1, 0, 1]],
  ] as const)('%s when every encode worker is denied', async (_, names, expected) => {
    const headers = [ENCODE, '10.0.0.9:1,10.0.0.8:1', ...names.flatMap((name) => [name, addressOf(first)])];
    const { exchange } = await send(headers, { allowList: new Listed('127.0.0.1') });
    expect(calls()).toEqual(expected);
    expect(exchange.watch.facts).toMatchObject({ encoderCandidates: 2, encoderAllowed: 0 });
    expect(logs).toMatchObject([{ level: 'log', fields: { denied: 2, allowed: 0 } }]);
  });

  it.each(['10.0.0.9:1', 'no-target', '127.0.0.1:1/x'])('leaves %s out and encodes on the others', async (denied) => {
    const allowList = new Listed('127.0.0.1');
    const { exchange } = await send([ENCODE, `${denied},${addressOf(encoder)}`], { allowList });
    expect(calls()).toEqual([1, 0, 0, 1]);
    expect(exchange.watch.facts).toMatchObject({ encoderCandidates: 2, encoderAllowed: 1 });
  });

  it('calls no further stage when encode fails', async () => {
    encoder.handler = answering('{}', 500);
    const { answer, exchange } = await send([ENCODE, addressOf(encoder), PREFILL, addressOf(first)]);
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining('encode[0] failed: HTTP 500') });
    expect(calls()).toEqual([1, 0, 0, 0]);
    expect(exchange.watch.ends).toEqual(['encode: status_5xx']);
  });

  it('prefills remotely behind the encode stage, whose threshold asks for no look at the cache', async () => {
    await send([ENCODE, addressOf(encoder), PREFILL, addressOf(first)]);
    expect(first.requests).toHaveLength(1);
  });

  it('answers 400 to a body that is no JSON object', async () => {
    const { answer } = await send([ENCODE, addressOf(encoder)], {}, 'null');
    expect(answer.status).toBe(400);
    expect(calls()).toEqual([0, 0, 0, 0]);
  });
});
