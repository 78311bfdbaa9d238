import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { built, names, written } from './picker-config.fixture.ts';

const SAMPLES = new URL('../../../../config/epp/', import.meta.url);

const sample = (name: string): { readonly file: string } => ({ file: new URL(name, SAMPLES).pathname });

describe('the samples of picker configurations', () => {
  it.each(readdirSync(SAMPLES))('%s loads', (name) => {
    expect(built(sample(name)).parts.profiles.size).toBeGreaterThan(0);
  });

  it.each([
    ['pd.yaml', ['prefill', 'decode']],
    ['epd.yaml', ['encode', 'prefill', 'decode']],
    ['coordinator.yaml', ['encode', 'prefill', 'decode']],
    ['sglang.yaml', ['prefill', 'decode']],
    ['encode.yaml', ['encode']],
    ['prefill.yaml', ['prefill']],
    ['decode.yaml', ['decode']],
  ])('%s has the profiles %j, each with a picker', (name, profiles) => {
    const { parts } = built(sample(name));
    expect([...parts.profiles.keys()]).toEqual(profiles);
    for (const profile of parts.profiles.values())
      expect(profile).toMatchObject({ picker: { name: 'max-score-picker' } });
  });

  it.each([
    ['pd.yaml', 'disagg-profile-handler'],
    ['epd.yaml', 'disagg-profile-handler'],
    ['coordinator.yaml', 'header-profile-handler'],
    ['decode.yaml', 'single-profile-handler'],
  ])('%s is handled by %s, gated, and asks tokens before prefixes', (name, handler) => {
    const { parts } = built(sample(name));
    expect(parts.handler.name).toBe(handler);
    expect(names(parts.preRequests)[0]).toBe('prefix-based-pd-decider');
    expect(names(parts.producers)).toEqual(['token-producer', 'approx-prefix-cache-producer']);
  });
});

describe('sglang.yaml', () => {
  it('reserves, pins, and asks tokens before prefixes and loads', () => {
    const { parts } = built(sample('sglang.yaml'));
    expect(parts.handler.name).toBe('header-profile-handler');
    expect(names(parts.preRequests)).toEqual([
      'reserve-endpoint',
      'approx-prefix-cache-producer',
      'inflight-load-producer',
    ]);
    expect(names(parts.screeners)).toEqual(['endpoint-pin-screener']);
    expect(names(parts.producers)).toEqual([
      'token-producer',
      'approx-prefix-cache-producer',
      'inflight-load-producer',
    ]);
  });
});

/** The handler's examples of the document on disaggregation. */
describe('the examples of disagg-profile-handler', () => {
  const DECIDERS =
    '- type: always-disagg-multimodal-decider\n- {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 8, promptTokens: 0}}';

  it.each([
    ['decode only', '- type: disagg-profile-handler'],
    ['P/D', '- {type: disagg-profile-handler, parameters: {deciders: {prefill: prefix-based-pd-decider}}}'],
    [
      'profiles by other names',
      '- {type: disagg-profile-handler, parameters: {profiles: {decode: my-decode, prefill: my-prefill}, deciders: {prefill: prefix-based-pd-decider}}}',
    ],
    ['E/PD', '- {type: disagg-profile-handler, parameters: {deciders: {encode: always-disagg-multimodal-decider}}}'],
    [
      'E/P/D',
      '- {type: disagg-profile-handler, parameters: {deciders: {prefill: prefix-based-pd-decider, encode: always-disagg-multimodal-decider}}}',
    ],
  ])('%s loads', (_what, handler) => {
    const text = `plugins:\n${handler}\n${DECIDERS}`;
    expect(built(written(text)).warnings).toEqual([]);
  });
});
