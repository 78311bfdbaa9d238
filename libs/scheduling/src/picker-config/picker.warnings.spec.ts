import { describe, expect, it } from '@jest/globals';
import { built, names, written } from './picker-config.fixture.ts';

const OLD_HEAD = 'apiVersion: inference.networking.x-k8s.io/v1alpha1\nkind: EndpointPickerConfig';

describe('a picker configuration as it was written once', () => {
  it.each([
    ['by-label', 'label-selector-filter', '{label: role, validValues: [a]}'],
    ['by-label-selector', 'label-selector-filter', '{matchLabels: {role: a}}'],
    ['pd-profile-handler', 'disagg-profile-handler', '{decodeProfile: d, prefillProfile: p}'],
    ['disagg-headers-handler', 'disagg-profile-handler', '{prefillProfile: p, encodeProfile: e}'],
    ['prefill-header-handler', 'disagg-profile-handler', '{prefillProfile: p}'],
    ['tokenizer', 'token-producer', '{}'],
  ])('may have a %s, with a hint to %s', (old, current, parameters) => {
    const { parts, warnings } = built(written(`plugins: [{type: ${old}, parameters: ${parameters}}]`));
    expect(names(parts.plugins)).toContain(old);
    expect(warnings).toEqual([`plugin type ${old} is deprecated: use ${current}`]);
  });

  it('may have the handler and its headers apart', () => {
    const text = 'plugins: [{type: pd-profile-handler}, {type: prefill-header-handler}]';
    const { parts } = built(written(text));
    expect(parts.handler.name).toBe('pd-profile-handler');
    expect(names(parts.preRequests)).toEqual([
      'pd-profile-handler',
      'prefill-header-handler',
      'approx-prefix-cache-producer',
    ]);
  });

  it('has no second producer beside one with an old name', () => {
    const { parts } = built(written('plugins: [{type: tokenizer}, {type: prefix-cache-scorer}]'));
    expect(names(parts.producers)).toEqual(['tokenizer', 'approx-prefix-cache-producer']);
  });

  it.each([
    [`${OLD_HEAD}\n`, 'apiVersion inference.networking.x-k8s.io/v1alpha1 is deprecated: use llm-d.ai/v1alpha1'],
    [
      written('plugins: [{type: openai-parser}]\nparser: {pluginRef: openai-parser}').text,
      'parser is deprecated: use requestHandler.parsers',
    ],
    [
      written('plugins: [{type: utilization-detector}]\nsaturationDetector: {pluginRef: utilization-detector}').text,
      'saturationDetector is deprecated: use flowControl.saturationDetector',
    ],
    [written('featureGates: [flowControl]').text, 'feature gate flowControl has no effect: requests are not queued'],
    [
      written(
        'plugins: [{type: openai-parser}]\nschedulingProfiles: [{name: a, plugins: [{pluginRef: openai-parser}]}]',
      ).text,
      'profile a: openai-parser neither filters nor scores nor picks, and has no effect here',
    ],
    [
      written('plugins: [{type: active-request-scorer, name: mine, parameters: {maxBusyScore: 2}}]').text,
      'plugin mine: maxBusyScore 2 is not between 0 and 1 and has no effect',
    ],
  ])('%j is accepted with a warning', (text, expected) => {
    expect(built({ text }).warnings).toEqual([expected]);
  });

  const SCORER = '{type: prefix-cache-scorer, parameters: {blockSizeTokens: 5, autoTune: false}}';

  it('gives a scorer the producer that its parameters ask for', () => {
    const { parts, warnings } = built(written(`plugins: [${SCORER}]`));
    expect(names(parts.producers)).toEqual(['token-producer', 'approx-prefix-cache-producer']);
    expect(warnings).toEqual([
      'plugin prefix-cache-scorer: some of its parameters are those of approx-prefix-cache-producer, which is made with them',
    ]);
  });

  it('keeps the producer that is configured, whatever a scorer asks for', () => {
    const { parts, warnings } = built(
      written(`plugins: [${SCORER}, {type: approx-prefix-cache-producer, name: mine}]`),
    );
    expect(names(parts.producers)).toEqual(['token-producer', 'mine']);
    expect(warnings).toEqual([
      'plugin prefix-cache-scorer: some of its parameters are those of approx-prefix-cache-producer and have no effect, as there is mine',
    ]);
  });

  it('is not warned of a gate that is off in the end', () => {
    expect(built(written('featureGates: [flowControl, "flowControl=false"]')).warnings).toEqual([]);
  });

  it('is not read from a file and from a text', () => {
    expect(() => built({ file: '/tmp/x.yaml', text: '' })).toThrow('exclude each other');
  });
});
