import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rawJson } from '#json';
import { aRequest } from '#testing';
import { bytesOf, rendered } from '../steps.fixture.ts';
import { PairBench, legOf, reserved } from './prefill-decode.fixture.ts';
import { prefillDecodeParams } from './prefill-decode.step.ts';

const ROOM = /"bootstrap_room":(\d{1,19})[,}]/;

let bench: PairBench;

beforeEach(async () => {
  bench = await PairBench.start();
});

afterEach(async () => {
  await bench.close();
});

const roomOf = (text: string): string | undefined => ROOM.exec(text)?.[1];

describe('PrefillDecodeStep', () => {
  it('reserves, then sends prefill and decode; the answer is that of decode', async () => {
    const response = await bench.run(aRequest());
    expect(response.status).toBe(200);
    expect(await bytesOf(response)).toBe('{"id":"decoded"}');
    expect(bench.legs).toEqual(['reserve', 'prefill', 'decode']);
    expect(bench.gateway.requests.map(legOf)[0]).toBe('reserve');
  });

  it('sends decode while prefill is still running', async () => {
    const isDecoding = Promise.withResolvers<undefined>();
    bench.on({
      prefill: async (_, response) => {
        await isDecoding.promise;
        response.end('{}');
      },
      decode: (_, response) => {
        isDecoding.resolve(undefined);
        response.end('{"id":"decoded"}');
      },
    });
    expect(await bytesOf(await bench.run(aRequest()))).toBe('{"id":"decoded"}');
  });

  it('has an id and a profile for each call', async () => {
    await bench.run(aRequest({ scope: { id: 'req-9' } }));
    const seen = (['reserve', 'prefill', 'decode'] as const).map((leg) => {
      const { headers } = bench.leg(leg);
      return [headers['x-request-id'], headers['epp-profile'], headers['prefer'], headers['x-llm-d-pin-host-port']];
    });
    expect(seen).toEqual([
      ['req-9-reserve', 'prefill', 'reserve-endpoint', undefined],
      ['req-9-prefill', 'prefill', undefined, '10.0.0.7:8000'],
      ['req-9', 'decode', undefined, undefined],
    ]);
  });

  it("drops what chooses a rank from every call, and keeps the rest of the client's headers", async () => {
    const headers = ['authorization', 'Bearer k', 'x-data-parallel-rank', '3', 'x-a', '1'];
    await bench.run(aRequest({ scope: { headers }, findings: { relayedHeaders: { 'x-r': '2' } } }));
    for (const { headers: sent } of bench.gateway.requests) {
      expect(sent).toMatchObject({ authorization: 'Bearer k', 'x-a': '1', 'x-r': '2' });
      expect(sent).not.toHaveProperty('x-data-parallel-rank');
    }
    expect(bench.gateway.requests).toHaveLength(3);
  });

  it("sends what an earlier step made of the client's headers", async () => {
    const clientHeaders = ['x-llm-d-inference-objective', 'high', 'x-data-parallel-rank', '3'];
    await bench.run(aRequest({ scope: { headers: ['x-a', '1'] }, findings: { clientHeaders } }));
    for (const { headers } of bench.gateway.requests) {
      expect(headers).toMatchObject({ 'x-llm-d-inference-objective': 'high' });
      expect(headers).not.toHaveProperty('x-a');
      expect(headers).not.toHaveProperty('x-data-parallel-rank');
    }
  });

  it.each([
    ['chat', {}, '/v1/chat/completions', '/v1/chat/completions'],
    ['chat', { use_openai_format: false }, '/inference/v1/generate', '/v1/chat/completions'],
    ['responses', {}, '/v1/responses', '/v1/responses'],
    ['responses', { use_openai_format: false }, '/inference/v1/generate', '/v1/responses'],
    ['completions', { use_openai_format: false }, '/v1/completions', '/v1/completions'],
    ['generate', {}, '/inference/v1/generate', '/inference/v1/generate'],
  ] as const)(
    'of %s with %j reserves and prefills on %s, and decodes on %s',
    async (format, params, prefill, decode) => {
      await bench.run(await rendered(aRequest({ format }), '{"token_ids":[9]}'), params);
      expect([bench.leg('reserve').path, bench.leg('prefill').path, bench.leg('decode').path]).toEqual([
        prefill,
        prefill,
        decode,
      ]);
    },
  );

  it('tells both workers the same room, at the reserved worker', async () => {
    await bench.run(aRequest({ body: '{"max_tokens":50,"stream":true}' }));
    const room = roomOf(bench.body('prefill'));
    expect(BigInt(room ?? '-1')).toBeLessThan(2n ** 63n);
    const members = `"bootstrap_host":"10.0.0.7","bootstrap_port":8998,"bootstrap_room":${String(room)}`;
    expect(bench.body('reserve')).toBe('{"max_tokens":1,"stream":false}');
    expect(bench.body('prefill')).toBe(`{"max_tokens":1,"stream":false,${members}}`);
    expect(bench.body('decode')).toBe(`{"max_tokens":50,"stream":true,${members}}`);
  });

  it('has a room of its own for each request', async () => {
    await bench.run(aRequest());
    await bench.run(aRequest());
    const rooms = bench.gateway.requests.flatMap(({ body }) => roomOf(body.toString()) ?? []);
    expect([rooms.length, new Set(rooms).size]).toEqual([4, 2]);
  });

  it('reserves at an address of IPv6, with brackets wherever a port follows', async () => {
    bench.on({
      reserve: (_, response) => {
        reserved(response, '[fd00::7]:8000');
      },
    });
    await bench.run(aRequest());
    expect(bench.leg('prefill').headers['x-llm-d-pin-host-port']).toBe('[fd00::7]:8000');
    for (const leg of ['prefill', 'decode'] as const) {
      expect(bench.body(leg)).toContain('"bootstrap_host":"[fd00::7]","bootstrap_port":8998,');
    }
  });

  it("removes a client's ranks from prefill and decode, and leaves them in the reservation", async () => {
    const ranks = '"routed_dp_rank":1,"data_parallel_rank":2,"disagg_prefill_dp_rank":3';
    await bench.run(aRequest({ body: `{"a":1.0,${ranks},"max_tokens":9}` }));
    expect(bench.body('reserve')).toBe(`{"a":1.0,${ranks},"max_tokens":1,"stream":false}`);
    for (const leg of ['prefill', 'decode'] as const) expect(bench.body(leg)).not.toContain('rank');
    expect(bench.body('decode')).toMatch(/^\{"a":1\.0,"max_tokens":9,"bootstrap_host":/);
  });

  it.each(['chat', 'completions', 'responses', 'generate'] as const)(
    'has no kv_transfer_params in %s, not even those of a client that is trusted with them',
    async (format) => {
      const body = '{"prompt":"hi","token_ids":[1],"kv_transfer_params":{"remote_host":"evil"}}';
      await bench.run(aRequest({ format, body }));
      for (const leg of ['reserve', 'prefill', 'decode'] as const) {
        expect(bench.body(leg)).not.toContain('kv_transfer_params');
      }
    },
  );

  it('sends what encode gave to prefill and with the reservation, and not to decode', async () => {
    await bench.run(aRequest({ format: 'chat', findings: { ecParams: rawJson('{"h":{"p":1}}') } }));
    expect(bench.body('reserve')).toContain('"ec_transfer_params":{"h":{"p":1}}');
    expect(bench.body('prefill')).toContain('"ec_transfer_params":{"h":{"p":1}},"bootstrap_host":');
    expect(bench.body('decode')).not.toContain('ec_transfer_params');
  });

  it('takes a connector of its own over that of the deployment', async () => {
    await bench.close();
    bench = await PairBench.start({ pipeline: { kv_connector: 'kv-nixl' } });
    await bench.run(aRequest(), { kv_connector: 'kv-sglang' });
    expect(roomOf(bench.body('decode'))).toBeDefined();
  });

  it.each([
    { use_openai_format: 'false' },
    { kv_connector: 'kv-other' },
    { ec_connector: 'kv-nixl' },
    { on_failure: 'decode' },
  ])('does not take the parameters %j', (params) => {
    expect(prefillDecodeParams.safeParse(params).success).toBe(false);
  });
});

describe('a request of several sequences', () => {
  it.each([
    ['chat', '{"n":2}', 'n'],
    ['chat', '{"n":0}', 'n'],
    ['chat', '{"n":true}', 'n'],
    ['chat', '{"n":"2"}', 'n'],
    ['completions', '{"prompt":"hi","n":2}', 'n'],
    ['completions', '{"prompt":["a","b"]}', 'prompt'],
    ['completions', '{"prompt":["a"]}', 'prompt'],
    ['completions', '{"prompt":[[1],[2]]}', 'prompt'],
    ['generate', '{"token_ids":[1],"sampling_params":{"n":2}}', 'sampling_params.n'],
  ] as const)('of %s, %s, is refused before anything is reserved', async (format, body, param) => {
    await expect(bench.run(aRequest({ format, body }))).rejects.toMatchObject({ status: 400, param });
    expect(bench.gateway.requests).toEqual([]);
  });

  it.each([
    ['chat', '{"n":1}'],
    ['chat', '{"n":null}'],
    ['chat', '{"sampling_params":{"n":2}}'],
    ['completions', '{"prompt":[1,2,3],"n":1}'],
    ['generate', '{"token_ids":[1],"sampling_params":{"n":1}}'],
    ['generate', '{"token_ids":[1],"sampling_params":null}'],
  ] as const)('is not %s, %s', async (format, body) => {
    expect((await bench.run(aRequest({ format, body }))).status).toBe(200);
  });
});
