import { describe, expect, it } from '@jest/globals';
import { kvConnectorProblems, kvConnectorWarning } from './kv-connector.rules.ts';
import type { RawKvConnectors } from './kv-connector.rules.ts';

/** A pipeline of these steps, `type` or `type of its own connector`, with the deployment's connector. */
function pipeline(deployment: string | undefined, ...steps: readonly string[]): RawKvConnectors {
  return {
    ...(deployment === undefined ? {} : { kv_connector: deployment }),
    steps: steps.map((step) => {
      const [type, own] = step.split(' of ');
      return own === undefined ? { type } : { type, params: { kv_connector: own } };
    }),
  };
}

const serial = (name: string): string =>
  `prefill-decode: kv_connector "${name}" sends prefill and decode one after the other; use the "prefill" and "decode" steps`;
const concurrent = (step: string): string =>
  `${step}: kv_connector "kv-sglang" sends prefill and decode at the same time; use the "prefill-decode" step alone`;

describe('kvConnectorProblems', () => {
  it.each([
    [undefined, ['prefill-decode'], 'pipeline.steps[0]', serial('kv-shared-storage')],
    ['', ['prefill-decode'], 'pipeline.steps[0]', serial('kv-shared-storage')],
    ['kv-nixl', ['render', 'prefill-decode'], 'pipeline.steps[1]', serial('kv-nixl')],
    ['kv-nixl', ['prefill-decode of '], 'pipeline.steps[0]', serial('kv-nixl')],
    ['kv-sglang', ['prefill-decode of kv-nixl'], 'pipeline.steps[0].params.kv_connector', serial('kv-nixl')],
    ['kv-sglang', ['prefill', 'prefill-decode'], 'pipeline.steps[0]', concurrent('prefill')],
    ['kv-sglang', ['prefill-decode', 'decode'], 'pipeline.steps[1]', concurrent('decode')],
    [
      'kv-nixl',
      ['prefill of kv-sglang', 'prefill-decode of kv-sglang'],
      'pipeline.steps[0].params.kv_connector',
      concurrent('prefill'),
    ],
  ])('for deployment %j refuses the steps %j at %s', (deployment, steps, path, message) => {
    expect(kvConnectorProblems(pipeline(deployment, ...steps))).toEqual([{ path, message }]);
  });

  it('names each step', () => {
    const problems = kvConnectorProblems(pipeline('kv-sglang', 'prefill', 'decode', 'prefill-decode'));
    expect(problems.map(({ message }) => message)).toEqual([concurrent('prefill'), concurrent('decode')]);
  });

  it.each([
    ['kv-sglang', ['render', 'encode', 'prefill-decode']],
    ['kv-sglang', ['conditional-decode', 'prefill-decode']],
    [undefined, ['prefill-decode of kv-sglang']],
    ['kv-nixl', ['prefill', 'decode', 'prefill-decode of kv-sglang']],
    ['kv-sglang', ['prefill', 'decode']],
    ['kv-nixl', ['prefill', 'decode']],
    ['kv-sglang', []],
  ])('for deployment %j takes the steps %j', (deployment, steps) => {
    expect(kvConnectorProblems(pipeline(deployment, ...steps))).toEqual([]);
  });

  it.each<[string, RawKvConnectors]>([
    ['a connector that is not there', pipeline('kv-other', 'prefill-decode')],
    ['a connector of another kind', pipeline('ec-nixl', 'prefill-decode')],
    ['a connector that is no text', { kv_connector: 1, steps: [{ type: 'prefill-decode' }] }],
    ['steps that are no list', { steps: 'prefill-decode' }],
    ['a step that is none', { steps: [null, 'prefill-decode', {}, { type: 1 }] }],
  ])('leaves %s to whoever checks that', (_, raw) => {
    expect(kvConnectorProblems(raw)).toEqual([]);
    expect(kvConnectorWarning(raw)).toBeUndefined();
  });
});

describe('kvConnectorWarning', () => {
  it.each([
    ['kv-sglang', ['prefill', 'decode'], 'prefill'],
    ['kv-nixl', ['prefill', 'decode of kv-sglang'], 'decode'],
    ['', ['prefill of kv-sglang', 'decode'], 'prefill'],
  ])('for deployment %j and the steps %j names %s and the step for it', (deployment, steps, first) => {
    const warning = kvConnectorWarning(pipeline(deployment, ...steps));
    expect(warning).toMatch(new RegExp(`^${first}: workers of kv_connector "kv-sglang" wait for each other`));
    expect(warning).toContain('the "prefill-decode" step runs them at the same time');
  });

  it.each([
    ['kv-sglang', ['prefill-decode']],
    ['kv-sglang', ['decode']],
    ['kv-nixl', ['prefill', 'decode']],
    [undefined, ['prefill', 'decode']],
  ])('says nothing for deployment %j and the steps %j', (deployment, steps) => {
    expect(kvConnectorWarning(pipeline(deployment, ...steps))).toBeUndefined();
  });
});
