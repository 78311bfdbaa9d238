import { describe, expect, it } from '@jest/globals';
import { FileDiscovery } from '../discovery/file.discovery.ts';
import { pickerConfigSchema } from '../picker-config/picker-config.schema.ts';
import type { MadePlugin } from '../picker-config/made-plugin.ts';
import type { PluginContext } from '../plugin.ts';
import { CoreMetricsExtractor, coreMetricsParams } from './core-metrics.extractor.ts';
import { MetricsDataSource, metricsSourceParams } from './metrics.source.ts';
import { scrapeSettings } from './scrape-settings.ts';
import type { ScrapeSettings } from './scrape-settings.ts';

const source = (name: string, parameters: Record<string, unknown> = {}): MadePlugin => ({
  name,
  type: 'metrics-data-source',
  plugin: new MetricsDataSource(metricsSourceParams.parse(parameters)),
});
const extractor = (name: string): MadePlugin => ({
  name,
  type: 'core-metrics-extractor',
  plugin: new CoreMetricsExtractor(coreMetricsParams.parse(undefined)),
});
const context: Pick<PluginContext, 'name'> = { name: 'file' };
const file: MadePlugin = {
  name: 'file',
  type: 'file-discovery',
  // it does not ask its context for anything
  plugin: new FileDiscovery({ path: 'x', watchFile: false }, context as PluginContext),
};

function settings(
  dataLayer: unknown,
  plugins: readonly MadePlugin[],
  warnings: string[] = [],
  interval = 50,
): ScrapeSettings[] {
  const config = pickerConfigSchema.parse({ apiVersion: 'llm-d.ai/v1alpha1', kind: 'EndpointPickerConfig', dataLayer });
  return scrapeSettings(config, { plugins }, { interval, warn: (message) => warnings.push(message) });
}

describe('scrapeSettings', () => {
  it('has the default source and extractor where nothing is listed', () => {
    const [a, b] = [source('metrics-data-source'), extractor('core-metrics-extractor')];
    expect(settings({}, [a, b])).toEqual([
      {
        source: { type: 'metrics-data-source', part: a.plugin },
        extractors: [{ type: 'core-metrics-extractor', part: b.plugin }],
        interval: 50,
        timeout: 1000,
      },
    ]);
  });

  it('takes the ones that are listed', () => {
    const plugins = [source('one'), source('two', { interval: '1s' }), extractor('a'), extractor('b')];
    const sources = [{ pluginRef: 'two', extractors: [{ pluginRef: 'b' }] }];
    const [only, ...others] = settings({ sources }, plugins);
    expect(others).toEqual([]);
    expect(only?.source.part).toBe(plugins[1]?.plugin);
    expect(only?.extractors.map(({ part }) => part)).toEqual([plugins[3]?.plugin]);
    expect(only?.interval).toBe(1000);
  });

  it('gives a source without extractors the default one', () => {
    const plugins = [source('one'), extractor('a')];
    expect(settings({ sources: [{ pluginRef: 'one' }] }, plugins)[0]?.extractors).toHaveLength(1);
  });

  it.each([
    { dataLayer: { injectDefaults: false }, expected: [] },
    { dataLayer: { injectDefaults: false, sources: [{ pluginRef: 'one' }] }, expected: [0] },
  ])('adds nothing with $dataLayer', ({ dataLayer, expected }) => {
    const extractors = settings(dataLayer, [source('one'), extractor('a')]).map((one) => one.extractors.length);
    expect(extractors).toEqual(expected);
  });

  it.each([
    { interval: 10, parameters: {} },
    { interval: 1000, parameters: { interval: '49ms' } },
  ])('raises an interval below 50 ms, and says so: $interval, $parameters', ({ interval, parameters }) => {
    const warnings: string[] = [];
    const [one] = settings({}, [source('one', parameters), extractor('a')], warnings, interval);
    expect(one?.interval).toBe(50);
    expect(warnings).toHaveLength(1);
  });

  it.each([
    { sources: [{ pluginRef: 'nobody' }], message: "no plugin is called 'nobody'" },
    { sources: [{ pluginRef: 'file' }], message: "'file' is of another kind" },
    {
      sources: [{ pluginRef: 'one', extractors: [{ pluginRef: 'one' }] }],
      message: 'sources[0].extractors[0].pluginRef',
    },
  ])('refuses $sources', ({ sources, message }) => {
    expect(() => settings({ sources }, [source('one'), extractor('a'), file])).toThrow(message);
  });
});

describe('MetricsDataSource', () => {
  it.each([
    { parameters: {}, address: '10.0.0.1', expected: 'http://10.0.0.1:8000' },
    { parameters: { scheme: 'https', port: 9000 }, address: 'fd00::1', expected: 'https://[fd00::1]:9000' },
  ])('asks $expected', ({ parameters, address, expected }) => {
    const made = new MetricsDataSource(metricsSourceParams.parse(parameters));
    expect(made.origin({ address, port: 8000 })).toBe(expected);
  });

  it.each([
    { scheme: 'ftp' },
    { path: 'metrics' },
    { port: 0 },
    { clientCertPath: '/cert.pem' },
    { clientKeyPath: '/key.pem' },
    { caCertPath: '/there/is/no/such/file.pem' },
    { unknown: 1 },
  ])('refuses %j', (parameters) => {
    expect(() => new MetricsDataSource(metricsSourceParams.parse(parameters))).toThrow();
  });
});
