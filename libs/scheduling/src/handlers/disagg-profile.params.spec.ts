import { describe, expect, it } from '@jest/globals';
import { disaggParams } from './disagg-profile.params.ts';

const BY_DEFAULT = {
  profiles: { decode: 'decode', prefill: 'prefill', encode: 'encode' },
  deciders: { prefill: '', encode: '' },
  stageOrder: 'decode-first',
};

function problems(parameters: unknown): readonly string[] {
  const parsed = disaggParams.safeParse(parameters);
  return (parsed.error?.issues ?? []).map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
}

describe('the parameters of disagg-profile-handler', () => {
  it.each([undefined, {}, { profiles: {} }, { deciders: {} }])(
    'are by default as they are without any, in %j',
    (given) => {
      expect(disaggParams.parse(given)).toEqual(BY_DEFAULT);
    },
  );

  it('have groups', () => {
    const given = { profiles: { decode: 'd', prefill: 'p', encode: 'e' }, deciders: { prefill: 'x', encode: 'y' } };
    expect(disaggParams.parse(given)).toEqual({ ...given, stageOrder: 'decode-first' });
  });

  it('had none before', () => {
    const given = {
      decodeProfile: 'd',
      prefillProfile: 'p',
      encodeProfile: 'e',
      prefillDeciderPluginName: 'x',
      encodeDeciderPluginName: 'y',
    };
    const profiles = { decode: 'd', prefill: 'p', encode: 'e' };
    expect(disaggParams.parse(given)).toEqual({ ...BY_DEFAULT, profiles, deciders: { prefill: 'x', encode: 'y' } });
  });

  it.each([
    { given: { deciderPluginName: 'old' }, expected: 'old' },
    { given: { deciderPluginName: 'old', prefillDeciderPluginName: 'new' }, expected: 'new' },
  ])('take $expected for the prefill decider of $given', ({ given, expected }) => {
    expect(disaggParams.parse(given).deciders.prefill).toBe(expected);
  });

  it.each([
    ['decode-first', 'decode-first'],
    ['DecodeFirst', 'decode-first'],
    ['decode_first', 'decode-first'],
    ['decode', 'decode-first'],
    ['prefill-first', 'prefill-first'],
    ['PREFILL_FIRST', 'prefill-first'],
    ['prefillFirst', 'prefill-first'],
    ['Prefill', 'prefill-first'],
  ])('read stageOrder %s as %s, in either form', (stageOrder, expected) => {
    expect(disaggParams.parse({ stageOrder }).stageOrder).toBe(expected);
    expect(disaggParams.parse({ stageOrder, decodeProfile: 'd' }).stageOrder).toBe(expected);
  });

  it.each([
    [{ profiles: {}, decodeProfile: 'd' }, ['profiles and deciders are given in two forms']],
    [{ deciders: { prefill: 'x' }, deciderPluginName: 'x' }, ['profiles and deciders are given in two forms']],
    [
      { stageOrder: 'prefill-first', deciders: { prefill: 'x' } },
      ['stageOrder: a prefill decider decides on the endpoint that decode was given, so prefill cannot come first'],
    ],
  ])('are refused in %j', (given, expected) => {
    expect(problems(given)).toEqual(expected);
  });

  it.each([
    { stageOrder: 'encode-first' },
    { stageOrder: 'sideways', decodeProfile: 'd' },
    { stageOrder: 'prefill-first', deciderPluginName: 'x' },
    { profiles: { decode: '' } },
    { profiles: { decoder: 'd' } },
    { deciders: { decode: 'x' } },
    { primaryPort: 8000 },
    { primaryPort: 8000, decodeProfile: 'd' },
  ])('are refused in %j, too', (given) => {
    expect(problems(given)).toHaveLength(1);
  });
});
