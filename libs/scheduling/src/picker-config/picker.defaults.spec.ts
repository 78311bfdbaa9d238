import { describe, expect, it } from '@jest/globals';
import { built, names, written } from './picker-config.fixture.ts';
import type { PickerConfigSource } from './load-picker-config.ts';

/** Types of all plugins that there are, by name. */
function types(source: PickerConfigSource): readonly string[] {
  return built(source).parts.plugins.map(({ type }) => type);
}

const BESIDES = ['metrics-data-source', 'core-metrics-extractor', 'utilization-detector'];
const PARSERS = ['openai-parser', 'anthropic-parser', 'vllmhttp-parser', 'passthrough-parser'];

describe('a picker configuration', () => {
  it('is, where there is none, the default one', () => {
    const { parts, warnings } = built({});
    expect([...parts.profiles.keys()]).toEqual(['default']);
    expect(parts.handler.name).toBe('single-profile-handler');
    expect(names(parts.parsers)).toEqual(PARSERS);
    expect(parts.discovery).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(types({})).toEqual(
      expect.arrayContaining([
        'queue-scorer',
        'kv-cache-utilization-scorer',
        'prefix-cache-scorer',
        'max-score-picker',
        'token-producer',
        'approx-prefix-cache-producer',
        ...BESIDES,
      ]),
    );
  });

  it('has what is always there when it says nothing', () => {
    const { parts } = built(written(''));
    expect([...parts.profiles.keys()]).toEqual(['default']);
    expect(names(parts.plugins).toSorted()).toEqual(['single-profile-handler', ...BESIDES, ...PARSERS].toSorted());
  });

  it('has one profile of everything where it lists none', () => {
    const text = 'plugins: [{type: decode-filter}, {type: queue-scorer}, {type: random-picker}]';
    const { parts } = built(written(text));
    expect(parts.profiles.get('default')).toMatchObject({
      filters: [{ name: 'decode-filter' }],
      scorers: [{ name: 'queue-scorer', weight: 1 }],
      picker: { name: 'random-picker' },
    });
  });

  it('weighs a scorer 1 where it does not say', () => {
    const profile = '{name: a, plugins: [{pluginRef: queue-scorer}, {pluginRef: load-aware-scorer, weight: 2.5}]}';
    const text = `plugins: [{type: queue-scorer}, {type: load-aware-scorer}]\nschedulingProfiles: [${profile}]`;
    expect(built(written(text)).parts.profiles.get('a')).toMatchObject({ scorers: [{ weight: 1 }, { weight: 2.5 }] });
  });

  it.each([
    { plugins: '', picker: 'max-score-picker' },
    { plugins: '{type: weighted-random-picker, name: mine}', picker: 'mine' },
  ])('gives a profile without a picker $picker where the plugins are [$plugins]', ({ plugins, picker }) => {
    const { parts } = built(written(`plugins: [${plugins}]\nschedulingProfiles: [{name: a}]`));
    expect(parts.profiles.get('a')).toMatchObject({ picker: { name: picker } });
  });

  it('handles one profile by itself', () => {
    expect(built(written('schedulingProfiles: [{name: a}]')).parts.handler.name).toBe('single-profile-handler');
  });

  it('uses the handler that it has, under its name', () => {
    const text = 'plugins: [{type: header-profile-handler, name: mine}]\nschedulingProfiles: [{name: a}]';
    const { parts } = built(written(text));
    expect([parts.handler.name, names(parts.plugins)]).toEqual([
      'mine',
      expect.not.arrayContaining(['single-profile-handler']),
    ]);
  });

  it('has the parsers that it lists, in their order, and no others', () => {
    const text = `plugins: [{type: openai-parser}, {type: passthrough-parser, name: rest}]
requestHandler: {parsers: [{pluginRef: rest}, {pluginRef: openai-parser}]}`;
    const { parts } = built(written(text));
    expect(names(parts.parsers)).toEqual(['rest', 'openai-parser']);
    expect(names(parts.plugins)).not.toContain('vllmhttp-parser');
  });

  it('has all parsers where it lists none', () => {
    const { parts } = built(written('plugins: [{type: vllmhttp-parser, name: mine}]'));
    expect(names(parts.parsers)).toEqual(['mine', 'openai-parser', 'anthropic-parser', 'passthrough-parser']);
  });

  it.each([
    ['saturationDetector: {pluginRef: concurrency-detector}'],
    ['flowControl: {saturationDetector: {pluginRef: concurrency-detector}}'],
    ['saturationDetector: {pluginRef: gone}\nflowControl: {saturationDetector: {pluginRef: concurrency-detector}}'],
  ])('uses the detector of %s', (text) => {
    const { parts } = built(written(`plugins: [{type: concurrency-detector}]\n${text}`));
    const detector = parts.plugins.find(({ type }) => type === 'concurrency-detector');
    expect(parts.saturation).toBe(detector?.plugin);
    expect(names(parts.plugins)).not.toContain('utilization-detector');
  });

  it('uses the discovery that it names', () => {
    const text = `plugins: [{type: file-discovery, parameters: {path: /tmp/x}}]
dataLayer: {discovery: {pluginRef: file-discovery}}`;
    expect(built(written(text)).parts.discovery).toBeDefined();
  });

  it('reads metrics without being told, unless it is told not to', () => {
    expect(types(written(''))).toContain('metrics-data-source');
    expect(types(written('dataLayer: {injectDefaults: false}'))).not.toContain('metrics-data-source');
    expect(types(written('plugins: [{type: metrics-data-source, name: mine}]'))).toEqual(
      expect.arrayContaining(['metrics-data-source', 'core-metrics-extractor']),
    );
  });

  it.each([
    ['prefix-cache-scorer', ['token-producer', 'approx-prefix-cache-producer']],
    ['prefix-based-pd-decider', ['token-producer', 'approx-prefix-cache-producer']],
    ['disagg-profile-handler', ['token-producer', 'approx-prefix-cache-producer']],
    ['active-request-scorer', ['token-producer', 'inflight-load-producer']],
  ])('makes the producers that %s cannot do without, each behind those it needs', (type, producers) => {
    expect(names(built(written(`plugins: [{type: ${type}}]`)).parts.producers)).toEqual(producers);
  });

  it('asks producers in the order in which they need each other, however they are listed', () => {
    const text = 'plugins: [{type: approx-prefix-cache-producer}, {type: token-producer, name: tokens}]';
    expect(names(built(written(text)).parts.producers)).toEqual(['tokens', 'approx-prefix-cache-producer']);
  });

  it('makes a decider before the handler that is listed above it', () => {
    const text = `plugins:
- {type: disagg-profile-handler, parameters: {deciders: {prefill: mine}}}
- {type: always-disagg-pd-decider, name: mine}`;
    const made = names(built(written(text)).parts.plugins);
    expect(made.indexOf('mine')).toBeLessThan(made.indexOf('disagg-profile-handler'));
  });

  it('has gates before writers of headers, and those before recorders', () => {
    const text = 'plugins: [{type: disagg-profile-handler}, {type: prefix-based-pd-decider}]';
    expect(names(built(written(text)).parts.preRequests)).toEqual([
      'prefix-based-pd-decider',
      'disagg-profile-handler',
      'approx-prefix-cache-producer',
    ]);
  });

  it('may be JSON', () => {
    const text = JSON.stringify({ apiVersion: 'llm-d.ai/v1alpha1', kind: 'EndpointPickerConfig', plugins: [] });
    expect(built({ text }).parts.handler.name).toBe('single-profile-handler');
  });

  it.each(['flowControl', 'flowControl=true', 'flowControl=false', 'haPopulateNonLeaderDatastore'])(
    'knows the feature gate %s',
    (gate) => {
      expect(() => built(written(`featureGates: ["${gate}"]`))).not.toThrow();
    },
  );
});
