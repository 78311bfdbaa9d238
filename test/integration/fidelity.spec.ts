import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aRequest } from '#testing';
import { PipelineBench, answering, missOr } from './pipeline.fixture.ts';

const KV = '{"remote_block_ids": [[1, 2]], "room": 5975098084415727586, "x": {"z": 1.0, "a": 9223372036854775807}}';

let bench: PipelineBench;

beforeAll(async () => {
  bench = await PipelineBench.start({ pipeline: { kv_connector: 'kv-nixl' } });
});

afterAll(async () => {
  await bench.close();
});

/** What render, probe, prefill and decode are sent for a chat request with these members. */
async function legs(members: string): Promise<Record<'render' | 'probe' | 'prefill' | 'decode', string>> {
  bench.gateway.handler = missOr('{}', { prefill: `{"kv_transfer_params": ${KV}}` });
  bench.render.handler = answering('{"token_ids":[9,  18014398509481984 ]}');
  bench.gateway.requests.length = bench.render.requests.length = 0;
  await bench.run(aRequest({ body: `{${members}}` }));
  const [probe = '', prefill = '', decode = ''] = bench.gateway.requests.map(({ body }) => body.toString());
  return { render: bench.render.requests[0]?.body.toString() ?? '', probe, prefill, decode };
}

describe('a body on its way through the pipeline', () => {
  it.each([
    ['integers beyond a double', '"seed":9007199254740993,"a":9223372036854775807,"b":-9223372036854775808'],
    [
      'numbers as they are written',
      '"vllm_xargs":{"a":165598928036513123123,"b":0.123000000000000005123,"c":1.0,"d":-0,"e":1E5,"f":1e400}',
    ],
    [
      'the order of keys at every depth',
      '"tools":[{"parameters":{"properties":{"zebra":{"type":"string"},"apple":{}},"required":["zebra","apple"]}}],"a":1',
    ],
    ['lone surrogates', String.raw`"messages":[{"role":"user","content":"x \ud83d y \ude00"}]`],
    ['escapes that need not be', String.raw`"messages":[{"content":"\u0061\/\u00e9 é 😀\u2028"}]`],
    [
      'keys that JavaScript knows',
      '"__proto__":{"max_tokens":7},"constructor":1,"toString":{"__proto__":{"type":"string"}}',
    ],
    ['repeated keys', '"model":"allowed","model":"blocked","x":{"a":1,"a":2}'],
    ['white space', '\n  "a" : [ 1 ,\t2 ] ,\r\n  "b" : { }'],
    ['deep nesting', `"response_format":${'{"a":['.repeat(250)}${']}'.repeat(250)}`],
  ])('keeps %s on every leg', async (_, members) => {
    const { render, probe, prefill, decode } = await legs(members);
    expect(render).toBe(`{${members}}`);
    for (const body of [probe, prefill, decode]) expect(body.startsWith(`{${members}`)).toBe(true);
  });

  it('has the ids of render as they came, on every leg', async () => {
    const { probe, prefill, decode } = await legs('"messages":[]');
    for (const body of [probe, prefill, decode])
      expect(body).toContain('"tokens":{"token_ids":[9,  18014398509481984 ]}');
  });

  it("hands prefill's parameters to decode byte for byte, the flags behind them", async () => {
    const { decode } = await legs('"messages":[]');
    expect(decode).toContain(
      `"kv_transfer_params":${KV.slice(0, -1)},"do_remote_decode":false,"do_remote_prefill":true}`,
    );
  });

  it('reads no limit from what only looks like one', async () => {
    const { prefill } = await legs('"__proto__":{"max_tokens":7},"x":{"max_tokens":8}');
    expect(prefill).toContain('"max_tokens":1,"stream":false');
  });

  it('carries an answer that is no JSON', async () => {
    bench.gateway.handler = missOr('{"logprob":-Infinity,  "x":NaN}', { prefill: '{}' });
    expect(await bench.run(aRequest())).toEqual({ status: 200, body: '{"logprob":-Infinity,  "x":NaN}' });
  });

  it('keeps the requests of several clients apart', async () => {
    bench.gateway.handler = missOr('{}', { prefill: `{"kv_transfer_params": ${KV}}` });
    bench.gateway.requests.length = 0;
    const ids = Array.from({ length: 20 }, (_, index) => `req-${index}`);
    await Promise.all(ids.map((id) => bench.run(aRequest({ scope: { id }, body: `{"user":"${id}"}` }))));
    expect(bench.gateway.requests).toHaveLength(60);
    for (const { headers, body } of bench.gateway.requests) {
      expect(body.toString()).toContain(`"user":"${String(headers['x-request-id'])}"`);
    }
  });
});
