import { beforeEach, describe, expect, it } from '@jest/globals';
import { InternalError } from '#foundation';
import { joinRope } from '#json';
import type { HostPort } from '#protocol';
import { RawUpstream, cleanup, json } from '#testing';
import type { FakeUpstream, Handler } from '#testing';
import { DisaggBench, answering, called, deadTarget, parsed, recordLogs, secret, targetOf } from '../disagg.fixture.ts';
import type { Exchange, LogLine, Sent } from '../disagg.fixture.ts';
import { readRequest } from '../entry.service.ts';
import { EcExampleStage } from './ec-example.stage.ts';
import { EcNixlStage } from './ec-nixl.stage.ts';
import type { EncodeStage } from './encode-stage.ts';

let bench: DisaggBench;
let encoder: FakeUpstream;
let logs: LogLine[];
const closing = cleanup();

/** Says of an item where it lies, under a hash that is its number. */
const described: Handler = (request, response) => {
  json(response, `{"ec_transfer_params": {"h${itemOf(request)}": {"peer_port": 9007199254740993}}}`);
};

const itemOf = ({ headers }: { readonly headers: NodeJS.Dict<string | string[]> }): string =>
  /-enc-(\d+)$/.exec(String(headers['x-request-id']))?.[1] ?? 'none';

beforeEach(async () => {
  bench = await DisaggBench.start();
  closing(() => bench.close());
  encoder = await bench.worker(described);
  logs = recordLogs();
});

const PART = '{"type":"image_url", "image_url":{"url":"URL"}}';
const withImages = (...urls: readonly string[]): string =>
  `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"look"},${urls
    .map((url) => PART.replace('URL', url))
    .join(',')}]}], "seed":9007199254740993,"max_tokens":50,"stream":true,"stream_options":{"a":1}}`;

interface Ran {
  readonly exchange: Exchange;
  readonly text: string;
  readonly items: number;
}

async function run(
  stage: EncodeStage,
  sent: Sent | string,
  encoders: readonly HostPort[] = [targetOf(encoder)],
): Promise<Ran> {
  const exchange = bench.exchange(typeof sent === 'string' ? { body: sent } : sent);
  const { json: body, items } = await stage.run(await readRequest(exchange.request), encoders);
  return { exchange, text: joinRope(body.toRope()).toString(), items };
}

const nixl = (): EncodeStage => new EcNixlStage(bench.stages);
const example = (): EncodeStage => new EcExampleStage(bench.stages);
const warnings = (): unknown[] => logs.filter(({ level }) => level === 'warn').map(({ fields }) => fields);

describe.each([
  ['ec-example', example],
  ['ec-nixl', nixl],
])('%s', (name, make) => {
  it('has its name', () => {
    expect(make().name).toBe(name);
  });

  it('calls for each item once, whatever path the client called', async () => {
    const { exchange, items } = await run(make(), { path: '/v1/x?y', body: withImages('a', 'b', 'a') });
    expect(encoder.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      new Array(2).fill('POST /v1/chat/completions'),
    );
    expect(items).toBe(2);
    expect(exchange.watch.facts).toMatchObject({ encodeItems: 2 });
    expect(exchange.watch.ends).toEqual(['encode: good']);
  });

  it('sends one message of the item alone, one token to make and no stream, the rest as it came', async () => {
    await run(make(), withImages('a'));
    expect(encoder.requests[0]?.body.toString()).toBe(
      '{"model":"m","messages":[{"role":"user","content":[{"type":"image_url", "image_url":{"url":"a"}}]}], ' +
        '"seed":9007199254740993,"max_tokens":1,"stream":false}',
    );
  });

  it('caps max_completion_tokens where the client sent it', async () => {
    await run(make(), withImages('a').replace('"max_tokens":50', '"max_completion_tokens":50,"min_tokens":5'));
    expect(encoder.requests.map(parsed)).toMatchObject([{ max_tokens: 1, max_completion_tokens: 1, min_tokens: 1 }]);
  });

  it("sends the trace and an id of the item's own, nothing else of the client's headers", async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headers = ['Authorization', 'Bearer k', 'X-Custom', '1', 'traceparent', traceparent];
    await run(make(), { body: withImages('a', 'b'), headers });
    const sent = encoder.requests.map(({ headers: { host, connection, 'content-length': length, ...own } }) => {
      expect([host, connection, length]).not.toContain(undefined);
      return own;
    });
    const own = (id: string): object => ({ 'content-type': 'application/json', 'x-request-id': id, traceparent });
    expect(sent).toEqual(expect.arrayContaining([own('req-1-enc-0'), own('req-1-enc-1')]));
  });

  it('gives the items to the workers in turn', async () => {
    const other = await bench.worker(described);
    await run(make(), withImages('a', 'b', 'c'), [targetOf(encoder), targetOf(other)]);
    expect([encoder.requests.map(itemOf).sort(), other.requests.map(itemOf)]).toEqual([['0', '2'], ['1']]);
  });

  it('has all calls under way at once', async () => {
    const urls = Array.from({ length: 40 }, (_, index) => `u${index}`);
    encoder.handler = async (request, response) => {
      await encoder.received(urls.length);
      await described(request, response);
    };
    expect((await run(make(), withImages(...urls))).items).toBe(40);
  });

  it('tells the next stage not to ask for more in its cache, the rest of the body as it came', async () => {
    const body = withImages('a');
    const { text } = await run(make(), body);
    expect(text).toContain('"cache_hit_threshold":0');
    expect(text.startsWith(body.slice(0, -1))).toBe(true);
    expect((await run(make(), body.replace('{', '{"cache_hit_threshold":0.8,'))).text).toContain(
      '{"cache_hit_threshold":0,',
    );
  });

  it.each([
    ['text', '{"messages":[{"content":"hi"}],"z":1}', {}, 'debug'],
    ['a generate request with features', '{"features":{"mm_hashes":{}}}', { path: '/inference/v1/generate' }, 'log'],
  ])('calls nobody for %s, and says why', async (_, body, sent, level) => {
    const { exchange, text, items } = await run(make(), { body, ...sent });
    expect(encoder.requests).toEqual([]);
    expect([items, text]).toEqual([0, `${body.slice(0, -1)},"cache_hit_threshold":0}`]);
    expect(exchange.watch.facts).toEqual({ encodeItems: 0, reason: 'no_media_items' });
    expect([exchange.watch.open, exchange.watch.ends]).toEqual([[], []]);
    expect(logs).toMatchObject([{ level, fields: { reason: 'no_media_items' } }]);
  });

  it.each<[string, string, string, Handler]>([
    ['500', 'encode[1] failed: HTTP 500', 'status_5xx', answering('{"error":"SECRET"}', 500)],
    ['400', 'encode[1] rejected the request: HTTP 400', 'status_4xx', answering('{"error":"SECRET"}', 400)],
    ['302', 'encode[1] failed: HTTP 302', 'status_3xx', answering('{}', 302)],
    [
      '200 with an error',
      'encode[1] answered 200 with an error in it',
      'invalid_answer',
      answering('{"error":"SECRET"}'),
    ],
    ['nothing', 'encode[1] broke the connection', 'reset', (_, response) => void response.destroy()],
  ])('fails when one item gets %s, called off the others, and names the item', async (_, message, failure, handler) => {
    const content = secret();
    encoder.handler = async (request, response) => {
      await encoder.received(3);
      if (itemOf(request) !== '1') return; // until it is called off
      await handler(request, response);
    };
    const exchange = bench.exchange({ body: withImages('a', 'b', content) });
    const read = await readRequest(exchange.request);
    await expect(make().run(read, [targetOf(encoder)])).rejects.toThrow(message);
    for (const request of encoder.requests) {
      if (itemOf(request) !== '1') expect(await request.aborted).toBe(true);
    }
    expect(exchange.watch.ends).toEqual([`encode: ${failure}`]);
    expect(warnings()).toEqual([{ 'x-request-id': 'req-1', item: 1, failure }]);
    expect(JSON.stringify(logs)).not.toMatch(new RegExp(`SECRET|${content}`));
  });

  it('fails when every item fails', async () => {
    encoder.handler = answering('{}', 500);
    await expect(run(make(), withImages('a', 'b'))).rejects.toThrow(/^encode\[[01]\] failed: HTTP 500$/);
    expect(warnings().length).toBeGreaterThan(0);
  });

  it('fails when no worker is there', async () => {
    const exchange = bench.exchange({ body: withImages('a') });
    const failing = make().run(await readRequest(exchange.request), [await deadTarget()]);
    const answer = await exchange.received(failing.then(() => ({ status: 200, headers: {}, body: [] })));
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining('encode[0] could not be reached') });
    expect(exchange.watch.ends).toEqual(['encode: refused']);
  });

  it('fails for want of a worker without a crash', async () => {
    await expect(run(make(), withImages('a'), [])).rejects.toThrow(InternalError);
  });

  it('calls every item off when the client leaves', async () => {
    const silent = await RawUpstream.start(() => undefined);
    closing(() => silent.close());
    const exchange = bench.exchange({ body: withImages('a', 'b') });
    const failing = make().run(await readRequest(exchange.request), [targetOf(silent)]);
    failing.catch(() => undefined);
    await called(silent);
    exchange.leave();
    await expect(failing).rejects.toThrow('the client closed the connection');
    await Promise.all(silent.peers.map((peer) => peer.closed));
    expect(exchange.watch.ends).toEqual(['encode: client_closed']);
    expect(warnings()).toEqual([]);
  });

  it('shares the bytes of large media with the body', async () => {
    const media = `data:image/png;base64,${'A'.repeat(4 * 1024 * 1024)}`;
    const { text } = await run(make(), withImages(media));
    expect(encoder.requests[0]?.body.includes(media)).toBe(true);
    expect(text.includes(media)).toBe(true);
  });
});

describe('ec-nixl', () => {
  it('gives the next stage what every worker said, in the order of the items', async () => {
    const { text } = await run(nixl(), withImages('a', 'b'));
    expect(text).toContain(
      '"ec_transfer_params":{"h0":{"peer_port": 9007199254740993},"h1":{"peer_port": 9007199254740993}}',
    );
    expect(warnings()).toEqual([]);
  });

  it.each([
    ['leaves the field out where no worker gave any', '{}', '"ec_transfer_params"', 0],
    ['leaves out who gave null', '{"ec_transfer_params":null}', '"ec_transfer_params"', 0],
    ['leaves out who gave no object', '{"ec_transfer_params":["h"]}', '"ec_transfer_params"', 0],
    ['leaves out who gave an empty object', '{"ec_transfer_params":{}}', '"ec_transfer_params"', 0],
  ])('%s, and says so', async (_, answer, absent, contributed) => {
    encoder.handler = answering(answer);
    const { text } = await run(nixl(), withImages('a'));
    expect(text).not.toContain(absent);
    expect(text).toContain('"cache_hit_threshold":0');
    expect(warnings()).toEqual([{ 'x-request-id': 'req-1', contributed, items: 1 }]);
  });

  it('gives what some workers said, and says that others did not', async () => {
    encoder.handler = (request, response) =>
      itemOf(request) === '0' ? answering('{}')(request, response) : described(request, response);
    const { text } = await run(nixl(), withImages('a', 'b'));
    expect(text).toContain('"ec_transfer_params":{"h1":{"peer_port": 9007199254740993}}');
    expect(warnings()).toEqual([{ 'x-request-id': 'req-1', contributed: 1, items: 2 }]);
  });

  it('takes the place of what the client sent', async () => {
    const { text } = await run(nixl(), withImages('a').replace('{', '{"ec_transfer_params":{"evil":1},'));
    expect(text).toContain('{"ec_transfer_params":{"h0":{"peer_port": 9007199254740993}},"model"');
  });

  it('fails when an answer is no JSON object', async () => {
    for (const body of ['no', '[]', '']) {
      encoder.handler = answering(body);
      await expect(run(nixl(), withImages('a'))).rejects.toThrow(
        'encode[0] answered something other than a JSON object',
      );
    }
  });
});

describe('ec-example', () => {
  it('does not look at what a worker says, but for an error', async () => {
    for (const body of ['no', '[]', '', '{"ec_transfer_params":{"h":1}}']) {
      encoder.handler = answering(body);
      expect((await run(example(), withImages('a'))).text).not.toContain('ec_transfer_params');
    }
  });
});
