import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { joinRope } from '#json';
import type { KvHandoff } from '#pipeline';
import { FakeUpstream, aRequest, json } from '#testing';
import { PrefillStep, prefillParams } from './prefill.step.ts';
import { StepsBench } from './steps.fixture.ts';

const WARNING = 'prefill returned no kv_transfer_params; decode will recompute the prompt';

const EVERYTHING_BUT_THE_CLOCK = [
  ...(['Date', 'hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

let gateway: FakeUpstream;
let bench: StepsBench;

beforeEach(async () => {
  gateway = await FakeUpstream.start((_, response) => {
    json(response, '{}');
  });
  bench = await StepsBench.start(gateway.url);
});

afterEach(async () => {
  jest.useRealTimers();
  await bench.close();
  await gateway.close();
});

/** What prefill hands over when it is answered so. */
async function handoff(answer: string, connector = 'kv-nixl'): Promise<KvHandoff> {
  gateway.handler = (_, response) => {
    json(response, answer);
  };
  const params = prefillParams.parse({ kv_connector: connector });
  const outcome = await bench.get(PrefillStep).execute(aRequest(), params);
  if (outcome.kind !== 'next' || outcome.findings?.handoff === undefined) throw new Error('prefill hands over');
  return outcome.findings.handoff;
}

describe('the hand-over of prefill', () => {
  it.each([
    ['{"remote_block_ids": [[1, 2]], "remote_num_tokens": 9223372036854775807, "x_future": {"b": 1.0}}'],
    ['{}'],
  ])('is %s as it came', async (params) => {
    const before = performance.now();
    const found = await handoff(`{"choices":[{"text":"x"}], "kv_transfer_params" : ${params} }`);
    expect(found.result).toBe('complete');
    expect(found.params && joinRope(found.params).toString()).toBe(params);
    expect(found.receivedAt).toBeGreaterThanOrEqual(before);
    expect(found.receivedAt).toBeLessThanOrEqual(performance.now());
  });

  it('is the last of several', async () => {
    const { params } = await handoff('{"kv_transfer_params":1,"kv_transfer_params":{"a":1}}');
    expect(params && joinRope(params).toString()).toBe('{"a":1}');
  });

  it.each([
    ['{}', 'missing'],
    ['{"kv_transfer_params":null}', 'missing'],
    ['{"kv_transfer_params":{},"kv_transfer_params":null}', 'missing'],
    ['{"kv_transfer_params":"x"}', 'not_object'],
    ['{"kv_transfer_params":[]}', 'not_object'],
    ['{"kv_transfer_params":0}', 'not_object'],
    ['{"kv_transfer_params":false}', 'not_object'],
  ])('of the answer %s is of no use: %s', async (answer, result) => {
    expect(await handoff(answer)).toMatchObject({ params: undefined, result });
  });

  it('names the connector in force', async () => {
    expect((await handoff('{}', '')).connector).toBe('kv-shared-storage');
    expect((await handoff('{}', 'kv-nixl')).connector).toBe('kv-nixl');
  });

  describe('when it is missing', () => {
    it.each([
      ['kv-nixl', '{}', [WARNING]],
      ['kv-nixl', '{"kv_transfer_params":[]}', [WARNING]],
      ['kv-nixl', '{"kv_transfer_params":{}}', []],
      ['kv-shared-storage', '{}', []],
      ['kv-sglang', '{}', []],
    ])('%s warns after the answer %s: %j', async (connector, answer, complaints) => {
      await handoff(answer, connector);
      expect(bench.complaints).toEqual(complaints);
    });

    it('kv-nixl warns once a minute', async () => {
      // the clock alone is set: connections and their timers go on
      jest.useFakeTimers({ doNotFake: [...EVERYTHING_BUT_THE_CLOCK] });
      await handoff('{}');
      await handoff('{}');
      jest.advanceTimersByTime(59_999);
      await handoff('{}');
      expect(bench.complaints).toEqual([WARNING]);
      jest.advanceTimersByTime(1);
      await handoff('{}');
      await handoff('{}');
      expect(bench.complaints).toEqual([WARNING, WARNING]);
    });
  });
});
