import { ConfigError } from '#config';
import type { MadePlugin } from '../picker-config/made-plugin.ts';
import type { PickerConfig } from '../picker-config/picker-config.schema.ts';
import type { PickerParts } from '../picker-config/picker-parts.ts';
import { CoreMetricsExtractor } from './core-metrics.extractor.ts';
import { MetricsDataSource } from './metrics.source.ts';

/** Something that has a name in counts of errors. */
export interface Typed<Part> {
  readonly type: string;
  readonly part: Part;
}

/** One source and what is made of it. */
export interface ScrapeSettings {
  readonly source: Typed<MetricsDataSource>;
  readonly extractors: readonly Typed<CoreMetricsExtractor>[];
  /** Milliseconds between scrapes of one endpoint. */
  readonly interval: number;
  /** Milliseconds that a scrape may take. */
  readonly timeout: number;
}

/** What the command line says about scraping. */
export interface ScrapeFlags {
  /** `--refresh-metrics-interval`, in milliseconds. */
  readonly interval: number;
  readonly warn: (message: string) => void;
}

type DataLayer = Pick<PickerConfig, 'dataLayer'>;
type Made = Pick<PickerParts, 'plugins'>;

const SHORTEST = 50;
const TIMEOUT = 1000;
const SOURCE = 'metrics-data-source';
const EXTRACTOR = 'core-metrics-extractor';

/**
 * What is scraped, and how, by a configuration and the plugins made of it. Where it lists no source, or a source without extractors,
 * there is a default one, unless it says otherwise.
 * @throws ConfigError for a reference to a plugin that is not there, or is none of these
 */
export function scrapeSettings({ dataLayer }: DataLayer, { plugins }: Made, flags: ScrapeFlags): ScrapeSettings[] {
  const { injectDefaults } = dataLayer;
  const listed = dataLayer.sources.map(({ pluginRef, extractors }, index) => {
    const path = `dataLayer.sources[${index}]`;
    return {
      source: referred(plugins, pluginRef, path, MetricsDataSource),
      extractors: extractors.map((extractor, at) =>
        referred(plugins, extractor.pluginRef, `${path}.extractors[${at}]`, CoreMetricsExtractor),
      ),
    };
  });
  const sources =
    listed.length > 0 || !injectDefaults
      ? listed
      : [{ source: injected(plugins, SOURCE, MetricsDataSource), extractors: [] }];
  return sources.map(({ source, extractors }) => ({
    source,
    extractors:
      extractors.length > 0 || !injectDefaults ? extractors : [injected(plugins, EXTRACTOR, CoreMetricsExtractor)],
    interval: clamped(source.part.interval ?? flags.interval, flags.warn),
    timeout: TIMEOUT,
  }));
}

function clamped(interval: number, warn: (message: string) => void): number {
  if (interval >= SHORTEST) return interval;
  warn(`metrics are scraped every ${SHORTEST} ms at most: ${interval} ms is too short`);
  return SHORTEST;
}

function referred<Part>(
  plugins: readonly MadePlugin[],
  name: string,
  path: string,
  kind: abstract new (...args: never[]) => Part,
): Typed<Part> {
  const found = plugins.find((plugin) => plugin.name === name);
  const part: unknown = found?.plugin;
  if (found !== undefined && part instanceof kind) return { type: found.type, part };
  const message = found === undefined ? `no plugin is called '${name}'` : `'${name}' is of another kind`;
  throw new ConfigError('the endpoint picker configuration is invalid', [{ path: `${path}.pluginRef`, message }]);
}

/**
 * One that is declared, though not listed, or else the one that is made of default parameters.
 * @throws Error when the factory made none
 */
function injected<Part>(
  plugins: readonly MadePlugin[],
  type: string,
  kind: abstract new (...args: never[]) => Part,
): Typed<Part> {
  const part = plugins.map(({ plugin }): unknown => plugin).find((plugin): plugin is Part => plugin instanceof kind);
  if (part === undefined) throw new Error(`no ${type} was made`);
  return { type, part };
}
