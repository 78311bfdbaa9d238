import { describe, expect, it } from '@jest/globals';
import { problems, problemsOf } from './picker-config.fixture.ts';

const TWO_PROFILES = 'schedulingProfiles: [{name: a}, {name: b}]';

describe('a picker configuration with a mistake in it', () => {
  it.each([
    ['plugins: [{name: x}]', "plugins[0].type: plugin 'x' is missing a type"],
    ['plugins: [{}]', "plugins[0].type: plugin '' is missing a type"],
    [
      'plugins: [{type: queue-scorer}, {type: queue-scorer}]',
      "plugins[1].name: there is a plugin 'queue-scorer' already",
    ],
    [
      'plugins: [{type: queue-scorer, name: a}, {type: random-picker, name: a}]',
      "plugins[1].name: there is a plugin 'a' already",
    ],
    [
      'plugins: [{type: queue-scores}]',
      'plugins[0].type: unknown plugin type queue-scores, did you mean queue-scorer?',
    ],
    ['plugins: [{type: something-else}]', 'plugins[0].type: unknown plugin type something-else'],
    ['plugins: [{type: queue-scorer, parameters: {a: 1}}]', 'plugins[0].parameters.a: unknown key (no keys go here)'],
    [
      'plugins: [{type: random-picker, parameters: {maxNumOfEndpoint: 1}}]',
      'plugins[0].parameters.maxNumOfEndpoint: unknown key (did you mean maxNumOfEndpoints?)',
    ],
    [
      'plugins: [{type: random-picker, parameters: {maxNumOfEndpoints: two}}]',
      'plugins[0].parameters.maxNumOfEndpoints: expected a number, got "two"',
    ],
    ['plugins: [{type: random-picker, parameters: [1]}]', 'plugins[0].parameters: expected a map'],
    [
      'plugins: [{type: prefix-based-pd-decider, parameters: {nonCachedTokens: -1}}]',
      'plugins[0].parameters.nonCachedTokens: nonCachedTokens parameter of prefix disaggregation decider cannot be negative',
    ],
    [
      'plugins: [{type: label-selector-filter, parameters: {matchLabels: {a: 1}}}]',
      'plugins[0].parameters.matchLabels.a: expected a string, got 1',
    ],
  ])('%s: %s', (text, expected) => {
    expect(problems(text)).toEqual([expected]);
  });

  it.each([
    ['schedulingProfiles: [{name: ""}]', 'schedulingProfiles[0].name: a scheduling profile needs a name'],
    ['schedulingProfiles: [{}]', 'schedulingProfiles[0].name: is required: a string'],
    [
      'schedulingProfiles: [{name: a, plugins: [{}]}]',
      'schedulingProfiles[0].plugins[0].pluginRef: is required: a string',
    ],
    [
      'schedulingProfiles: [{name: a, plugins: [{pluginRef: x}]}]',
      "schedulingProfiles[0].plugins[0].pluginRef: no plugin is called 'x'",
    ],
    [
      `plugins: [{type: random-picker}, {type: max-score-picker}]
schedulingProfiles: [{name: a, plugins: [{pluginRef: random-picker}, {pluginRef: max-score-picker}]}]`,
      'schedulingProfiles[0]: has several pickers: random-picker, max-score-picker; keep one of them',
    ],
    [
      'plugins: [{type: header-profile-handler}]\nschedulingProfiles: [{name: a}, {name: a}]',
      "schedulingProfiles[1].name: there is a profile 'a' already",
    ],
  ])('%s: %s', (text, expected) => {
    expect(problems(text)).toEqual([expected]);
  });

  it.each([
    [TWO_PROFILES, 'plugins: several scheduling profiles, and no profile handler to choose between them'],
    [
      `plugins: [{type: single-profile-handler}]\n${TWO_PROFILES}`,
      'plugins: single-profile-handler takes exactly one scheduling profile',
    ],
    [
      'plugins: [{type: header-profile-handler}, {type: disagg-profile-handler, name: d}]',
      'plugins: more than one profile handler: header-profile-handler, d',
    ],
  ])('%s: %s', (text, expected) => {
    expect(problems(text)).toEqual([expected]);
  });

  it.each([
    [
      'plugins: [{type: disagg-profile-handler, parameters: {deciders: {prefill: x}}}]',
      'plugins[0]: deciders.prefill plugin not found: x',
    ],
    [
      'plugins: [{type: disagg-profile-handler, parameters: {deciders: {encode: x}}}]',
      'plugins[0]: deciders.encode plugin not found: x',
    ],
    [
      'plugins: [{type: random-picker}, {type: disagg-profile-handler, parameters: {deciders: {encode: random-picker}}}]',
      'plugins[1]: deciders.encode plugin is no decider: random-picker',
    ],
    [
      'plugins: [{type: prefix-cache-scorer, parameters: {prefixMatchInfoProducerName: x}}]',
      'plugins[0]: plugin not found: x',
    ],
    [
      'plugins: [{type: disagg-profile-handler, parameters: {deciders: {prefill: disagg-profile-handler}}}]',
      "plugins[0]: plugin 'disagg-profile-handler' refers to itself by way of other plugins",
    ],
    ['saturationDetector: {pluginRef: x}', "saturationDetector.pluginRef: no plugin is called 'x'"],
    [
      'flowControl: {saturationDetector: {pluginRef: x}}',
      "flowControl.saturationDetector.pluginRef: no plugin is called 'x'",
    ],
    [
      'plugins: [{type: random-picker}]\nflowControl: {saturationDetector: {pluginRef: random-picker}}',
      "flowControl.saturationDetector.pluginRef: 'random-picker' is of another kind",
    ],
    ['parser: {pluginRef: x}', "parser.pluginRef: no plugin is called 'x'"],
    ['requestHandler: {parsers: [{pluginRef: x}]}', "requestHandler.parsers[0].pluginRef: no plugin is called 'x'"],
    [
      'plugins: [{type: random-picker}]\nrequestHandler: {parsers: [{pluginRef: random-picker}]}',
      "requestHandler.parsers[0].pluginRef: 'random-picker' is of another kind",
    ],
    ['dataLayer: {discovery: {pluginRef: x}}', "dataLayer.discovery.pluginRef: no plugin is called 'x'"],
    ['dataLayer: {sources: [{pluginRef: x}]}', "dataLayer.sources[0].pluginRef: no plugin is called 'x'"],
    [
      'dataLayer: {sources: [{pluginRef: metrics-data-source, extractors: [{pluginRef: x}]}]}',
      "dataLayer.sources[0].extractors[0].pluginRef: no plugin is called 'x'",
    ],
  ])('%s: %s', (text, expected) => {
    expect(problems(text)).toEqual([expected]);
  });

  it.each([
    'pluginz: []',
    'plugins: [{type: queue-scorer, parameter: {}}]',
    'schedulingProfiles: [{name: a, plugin: []}]',
    'schedulingProfiles: [{name: a, plugins: [{pluginRef: x, weights: 1}]}]',
    'schedulingProfiles: [{name: a, plugins: [{pluginRef: x, weight: heavy}]}]',
    'dataLayer: {source: []}',
    'dataLayer: {discovery: {pluginRef: x, plugin: x}}',
    'requestHandler: {parser: []}',
    'flowControl: {maxByte: 1}',
    'flowControl: {priorityBands: [{prio: 1}]}',
    'featureGates: [nothing]',
    'featureGates: ["flowControl=yes"]',
  ])('%s', (text) => {
    expect(problems(text)).toHaveLength(1);
  });

  it.each([
    ['apiVersion: v1\nkind: EndpointPickerConfig', 'apiVersion'],
    ['apiVersion: llm-d.ai/v1alpha1\nkind: Other', 'kind'],
    ['kind: EndpointPickerConfig', 'apiVersion'],
    ['apiVersion: llm-d.ai/v1alpha1', 'kind'],
  ])('%j: %s', (text, path) => {
    expect(problemsOf({ text }).map((problem) => problem.path)).toEqual([path]);
  });

  it('is told all of them at once', () => {
    const text = `
plugins:
- {type: queue-scores}
- {name: nameless}
- {type: random-picker, parameters: {many: 2}}
- {type: disagg-profile-handler, parameters: {deciders: {prefill: gone}}}
- {type: header-profile-handler}
schedulingProfiles:
- {name: a, plugins: [{pluginRef: queue-scores}, {pluginRef: nobody}]}
- {name: a}
saturationDetector: {pluginRef: none}
dataLayer: {discovery: {pluginRef: nowhere}}
`;
    expect(problems(text)).toEqual([
      'plugins[0].type: unknown plugin type queue-scores, did you mean queue-scorer?',
      "plugins[1].type: plugin 'nameless' is missing a type",
      'plugins[2].parameters.many: unknown key (known here: maxNumOfEndpoints)',
      'plugins[3]: deciders.prefill plugin not found: gone',
      "schedulingProfiles[0].plugins[1].pluginRef: no plugin is called 'nobody'",
      "schedulingProfiles[1].name: there is a profile 'a' already",
      "saturationDetector.pluginRef: no plugin is called 'none'",
      "dataLayer.discovery.pluginRef: no plugin is called 'nowhere'",
    ]);
  });
});
