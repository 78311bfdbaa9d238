import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { pipelineProblems } from './pipeline-rules.ts';
import type { RawPipeline } from './pipeline-rules.ts';

const schema = z.strictObject({});
const KNOWN = [
  { type: 'render', schema, makesTokens: true },
  { type: 'probe', schema, answers: true },
  { type: 'prefill', schema, answers: false },
  { type: 'decode', schema, answers: true },
  { type: 'broker', schema, isFirst: true },
];

const problems = (raw: RawPipeline, known = KNOWN): string[] =>
  pipelineProblems(raw, known).map(({ path, message }) => `${path}: ${message}`);
const steps = (...types: readonly string[]): { type: string }[] => types.map((type) => ({ type }));

const NEEDS_RENDER = 'use_openai_format: false requires a "render" step, which makes the tokens it sends';
const IS_EMPTY = 'pipeline.steps: is empty: end it with a step that answers the client, such as decode';

describe('pipelineProblems', () => {
  it.each([
    [['decode']],
    [['render', 'prefill', 'decode']],
    [['probe']],
    [['decode', 'decode']],
    [['decode', 'render', 'probe']],
  ])('has nothing to say of %j', (types) => {
    expect(problems({ steps: steps(...types) })).toEqual([]);
  });

  it.each([{ steps: [] }, {}, { steps: null }, { steps: 'decode' }])('asks for steps in %j', (raw) => {
    expect(problems(raw)).toEqual([IS_EMPTY]);
  });

  it.each([
    [['prefill'], 'pipeline.steps[0]: prefill'],
    [['decode', 'render'], 'pipeline.steps[1]: render'],
  ])('refuses %j, whose last step cannot answer', (types, start) => {
    expect(problems({ steps: steps(...types) })).toEqual([
      `${start} cannot answer the client: the last step must, such as decode`,
    ]);
  });

  it.each([[steps('decode', 'dekode')], [[{ type: 1 }]], [['decode']], [[null]], [[{}]]])(
    'leaves a last step that is not known, as in %j, to the check of types',
    (written) => {
      expect(problems({ steps: written })).toEqual([]);
    },
  );

  it('takes a step that has to be the first one there', () => {
    expect(problems({ steps: steps('broker', 'decode') })).toEqual([]);
  });

  it.each([
    [['render', 'broker', 'decode'], [2]],
    [['broker', 'broker', 'decode'], [2]],
    [
      ['decode', 'broker', 'broker', 'decode'],
      [2, 3],
    ],
  ])('refuses it elsewhere, as in %j', (types, positions) => {
    expect(problems({ steps: steps(...types) })).toEqual(
      positions.map(
        (position) =>
          `pipeline.steps[${position - 1}]: the "broker" step must be the first pipeline step, found it at position ${position}`,
      ),
    );
  });

  it('refuses use_openai_format: false without a step that makes tokens', () => {
    expect(problems({ use_openai_format: false, steps: steps('prefill', 'decode') })).toEqual([
      `pipeline.use_openai_format: ${NEEDS_RENDER}`,
    ]);
  });

  it('names each step that sets it, beside the pipeline', () => {
    const written = [
      { type: 'prefill', params: { use_openai_format: false } },
      { type: 'prefill', params: { use_openai_format: true } },
      { type: 'decode', params: { use_openai_format: false } },
    ];
    expect(problems({ use_openai_format: false, steps: written })).toEqual([
      `pipeline.use_openai_format: ${NEEDS_RENDER}`,
      `pipeline.steps[0].params.use_openai_format: ${NEEDS_RENDER}`,
      `pipeline.steps[2].params.use_openai_format: ${NEEDS_RENDER}`,
    ]);
  });

  it.each([
    [
      'a step that makes tokens, wherever it stands',
      { use_openai_format: false, steps: steps('prefill', 'render', 'decode') },
    ],
    ['true', { use_openai_format: true, steps: steps('decode') }],
    ['a value that is no switch', { use_openai_format: 'false', steps: steps('decode') }],
    ['params that are no object', { steps: [{ type: 'decode', params: 'use_openai_format: false' }] }],
  ])('takes use_openai_format with %s', (_, raw) => {
    expect(problems(raw)).toEqual([]);
  });

  it('names a type that two classes have', () => {
    const known = [...KNOWN, { type: 'decode', schema, answers: true }, { type: 'render', schema, makesTokens: true }];
    expect(problems({ steps: steps('decode') }, known)).toEqual([
      'pipeline.modules: two steps have the type "decode": rename one in its @PipelineStep',
      'pipeline.modules: two steps have the type "render": rename one in its @PipelineStep',
    ]);
  });

  it('lists everything at once', () => {
    expect(problems({ use_openai_format: false })).toEqual([IS_EMPTY, `pipeline.use_openai_format: ${NEEDS_RENDER}`]);
  });
});
