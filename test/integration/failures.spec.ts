import { afterEach, describe, expect, it } from '@jest/globals';
import { ClientClosedError } from '#foundation';
import { aRequest, json } from '#testing';
import type { Handler } from '#testing';
import { PipelineBench, answering, missOr, phaseOf } from './pipeline.fixture.ts';
import type { PipelineBenchOptions } from './pipeline.fixture.ts';

const IMAGE = '{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}';
const THREE_IMAGES = `{"model":"m","messages":[{"role":"user","content":[${IMAGE},${IMAGE},${IMAGE}]}]}`;
const RENDERED = JSON.stringify({
  token_ids: [9, 1, 2, 3],
  features: {
    mm_hashes: { image: ['a', 'b', 'c'] },
    mm_placeholders: { image: [1, 2, 3].map((offset) => ({ offset, length: 1 })) },
  },
});

let bench: PipelineBench | undefined;

afterEach(async () => {
  await bench?.close();
});

async function start(options: PipelineBenchOptions, phases: Readonly<Record<string, Handler>>): Promise<PipelineBench> {
  bench = await PipelineBench.start(options);
  bench.gateway.handler = (request, response) =>
    (phases[phaseOf(request)] ?? missOr('{"id":"answer"}'))(request, response);
  return bench;
}

const hang: Handler = () => undefined;
const breakOff: Handler = (_, response) => {
  response.destroy();
};

describe('a prefill that fails', () => {
  const STEPS = ['render', 'prefill', 'decode'];
  const FALLBACK = { steps: STEPS, params: { prefill: { on_failure: 'decode' } } };

  it.each<[string, Handler]>([
    ['with 500', answering('{}', 500)],
    ['with 200 and an error', answering('{"error":{"message":"out of memory"},"kv_transfer_params":{"a":1}}')],
    ['by breaking the connection', breakOff],
    ['by silence', hang],
  ])('%s ends the request, and no decode runs', async (_, prefill) => {
    const started = await start({ steps: STEPS, gateway: { timeout: '1s' } }, { prefill });
    await expect(started.run(aRequest())).rejects.toMatchObject({ step: 'prefill' });
    expect(started.phases).toEqual(['prefill']);
  });

  it.each<[string, Handler]>([
    ['with 503', answering('{}', 503)],
    ['with 200 and an error', answering('{"error":{"message":"out of memory"},"kv_transfer_params":{"a":1}}')],
    ['by breaking the connection', breakOff],
    ['by silence', hang],
  ])('%s leaves the prompt to decode where that is wanted, without any hand-over', async (_, prefill) => {
    const started = await start({ ...FALLBACK, gateway: { timeout: '1s' } }, { prefill });
    expect(await started.run(aRequest({ body: '{"a":1}' }))).toEqual({ status: 200, body: '{"id":"answer"}' });
    expect(started.phases).toEqual(['prefill', 'decode']);
    expect(started.bodies('decode')).toEqual(['{"a":1,"tokens":{"token_ids":[9,14,6,3]}}']);
  });

  it.each([400, 404, 422, 429])('with %d ends the request, whatever is wanted', async (status) => {
    const started = await start(FALLBACK, { prefill: answering('{"error":{"message":"bad image"}}', status) });
    await expect(started.run(aRequest())).rejects.toMatchObject({ status, step: 'prefill' });
    expect(started.phases).toEqual(['prefill']);
  });
});

describe('a prefill that hands nothing over', () => {
  it.each(['{}', '{"kv_transfer_params":null}', '{"kv_transfer_params":"x"}', '{"kv_transfer_params":{}}'])(
    'and answers %s is followed by a decode with the flags alone',
    async (answer) => {
      const started = await start({ pipeline: { kv_connector: 'kv-nixl' } }, { prefill: answering(answer) });
      await started.run(aRequest({ body: '{"a":1}' }));
      expect(started.bodies('decode')[0]).toBe(
        '{"a":1,"tokens":{"token_ids":[9,14,6,3]},"kv_transfer_params":{"do_remote_decode":false,"do_remote_prefill":true}}',
      );
    },
  );
});

describe('an encode that fails', () => {
  it('names its item, calls the others back, and no prefill runs', async () => {
    const started = await start(
      {},
      {
        encode: async (request, response) => {
          await started.gateway.received(4);
          if (request.body.includes('["b"]')) json(response, '{}', 503);
        },
      },
    );
    started.render.handler = answering(RENDERED);
    await expect(started.run(aRequest({ body: THREE_IMAGES }))).rejects.toMatchObject({
      step: 'encode[1]',
      status: 503,
    });
    const others = started.gateway.requests.filter(
      (call) => phaseOf(call) === 'encode' && !call.body.includes('["b"]'),
    );
    expect(await Promise.all(others.map(({ aborted }) => aborted))).toEqual([true, true]);
    expect(started.phases.filter((phase) => phase === 'prefill')).toEqual([]);
  });
});

describe('a render that fails', () => {
  it.each([
    [500, 502],
    [422, 422],
  ])('with %d ends the request with %d and its name, before any call to the gateway', async (status, ours) => {
    const started = await start({}, {});
    started.render.handler = answering('{"error":"x"}', status);
    await expect(started.run(aRequest())).rejects.toMatchObject({ step: 'render', status: ours });
    expect(started.phases).toEqual([]);
  });
});

describe('a client that leaves', () => {
  it.each([
    ['probe', ['probe']],
    ['encode', ['probe', 'encode', 'encode', 'encode']],
    ['prefill', ['probe', 'encode', 'encode', 'encode', 'prefill']],
    ['decode', ['probe', 'encode', 'encode', 'encode', 'prefill', 'decode']],
  ])('during %s ends its calls, and no later step starts', async (phase, phases) => {
    const started = await start({}, { [phase]: hang });
    started.render.handler = answering(RENDERED);
    const client = new AbortController();
    const running = started.run(aRequest({ body: THREE_IMAGES, scope: { signal: client.signal } }));
    await started.gateway.received(phases.length);
    client.abort(new ClientClosedError());
    await expect(running).rejects.toThrow(ClientClosedError);
    const hanging = started.gateway.requests.filter((request) => phaseOf(request) === phase);
    expect(await Promise.all(hanging.map(({ aborted }) => aborted))).toEqual(hanging.map(() => true));
    expect(started.phases).toEqual(phases);
  });
});
