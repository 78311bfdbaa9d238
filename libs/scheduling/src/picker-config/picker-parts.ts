import {
  isDiscovery,
  isParser,
  isPreRequest,
  isProducer,
  isResponseObserver,
  isSaturationDetector,
  isScreener,
} from '../plugin-kinds.ts';
import type {
  Discovery,
  Parser,
  PreRequest,
  Producer,
  ProfileHandler,
  ResponseObserver,
  SaturationDetector,
  Screener,
} from '../plugin.ts';
import type { Named, SchedulingProfile } from '../scheduling-profile.ts';
import { DEFAULT_DETECTOR, detectorOf, parsersOf } from './default-plugins.ts';
import type { MadePlugin } from './made-plugin.ts';
import type { PickerConfig } from './picker-config.schema.ts';
import type { References } from './references.ts';

/** Everything that decides, ready for use. */
export interface PickerParts {
  readonly profiles: ReadonlyMap<string, SchedulingProfile>;
  readonly handler: Named<ProfileHandler>;
  readonly parsers: readonly Named<Parser>[];
  /** In the order in which they are asked, as producers are. */
  readonly screeners: readonly Named<Screener>[];
  readonly producers: readonly Named<Producer>[];
  /** Gates, then writers of headers, then those that record. */
  readonly preRequests: readonly Named<PreRequest>[];
  readonly observers: readonly Named<ResponseObserver>[];
  readonly saturation: SaturationDetector;
  /** Undefined where the command line says how endpoints are found. */
  readonly discovery: Discovery | undefined;
  /** All of them, in the order in which they were made. */
  readonly plugins: readonly MadePlugin[];
}

const STAGES: readonly PreRequest['stage'][] = ['gate', 'headers', 'record'];

/** The parts beside the profiles; undefined where one of them is missing. What names lead to nothing is noted by `references`. */
export function pickerParts(
  config: PickerConfig,
  references: References,
): Omit<PickerParts, 'profiles' | 'handler'> | undefined {
  const detector = detectorOf(config) ?? { path: 'saturationDetector', name: DEFAULT_DETECTOR };
  const saturation = references.findOf(detector, isSaturationDetector);
  const discovery = discoveryOf(config, references);
  const parsers = listedParsers(config, references);
  checkDataLayer(config, references);
  if (saturation === undefined) return undefined;
  const preRequests = references.having(isPreRequest);
  return {
    parsers,
    screeners: references.having(isScreener),
    producers: references.having(isProducer),
    preRequests: preRequests.toSorted((a, b) => STAGES.indexOf(a.plugin.stage) - STAGES.indexOf(b.plugin.stage)),
    observers: references.having(isResponseObserver),
    saturation,
    discovery,
    plugins: references.plugins,
  };
}

/** Those that the configuration lists, in its order, or else all there are. */
function listedParsers(config: PickerConfig, references: References): readonly Named<Parser>[] {
  const listed = parsersOf(config);
  if (listed.length === 0) return references.having(isParser);
  return listed.flatMap((reference) => {
    const plugin = references.findOf(reference, isParser);
    return plugin === undefined ? [] : [{ name: reference.name, plugin }];
  });
}

function discoveryOf({ dataLayer: { discovery } }: PickerConfig, references: References): Discovery | undefined {
  if (discovery === undefined) return undefined;
  return references.findOf({ path: 'dataLayer.discovery', name: discovery.pluginRef }, isDiscovery);
}

/** What a source is, and whether an extractor fits it, is for the data layer to say; that they are there is checked here. */
function checkDataLayer({ dataLayer: { sources } }: PickerConfig, references: References): void {
  sources.forEach(({ pluginRef, extractors }, index) => {
    const path = `dataLayer.sources[${index}]`;
    references.find({ path, name: pluginRef });
    extractors.forEach(({ pluginRef: name }, at) => {
      references.find({ path: `${path}.extractors[${at}]`, name });
    });
  });
}
