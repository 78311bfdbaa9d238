import { ConfigError } from '#config';
import type {
  Discovery,
  Parser,
  Plugin,
  PreRequest,
  Producer,
  ProfileHandler,
  ResponseObserver,
  SaturationDetector,
} from '../plugin.ts';
import type { Named, SchedulingProfile } from '../scheduling-profile.ts';
import type { PickerConfig } from './picker-config.schema.ts';
import type { MadePlugin } from './made-plugin.ts';

/** Everything that decides, ready for use. */
export interface PickerParts {
  readonly profiles: ReadonlyMap<string, SchedulingProfile>;
  readonly handler: Named<ProfileHandler>;
  readonly parsers: readonly Named<Parser>[];
  /** In the order in which they are asked. */
  readonly producers: readonly Named<Producer>[];
  /** Gates, then writers of headers, then those that record. */
  readonly preRequests: readonly Named<PreRequest>[];
  readonly observers: readonly Named<ResponseObserver>[];
  readonly saturation: SaturationDetector;
  /** Undefined where the command line says how endpoints are found. */
  readonly discovery: Discovery | undefined;
  readonly plugins: readonly MadePlugin[];
}

const STAGES: readonly PreRequest['stage'][] = ['gate', 'headers', 'record'];

/** @throws ConfigError for a reference to a plugin that is not there, or is not what it has to be */
export function pickerParts(
  config: PickerConfig,
  made: ReadonlyMap<string, MadePlugin>,
  parts: { readonly profiles: PickerParts['profiles']; readonly handler: MadePlugin },
): PickerParts {
  const plugins = [...made.values()];
  const detector = (config.flowControl.saturationDetector ?? config.saturationDetector)?.pluginRef;
  const { discovery } = config.dataLayer;
  return {
    profiles: parts.profiles,
    // chosen for having what a handler has
    handler: { name: parts.handler.name, plugin: parts.handler.plugin as ProfileHandler },
    parsers: parsersOf(config, made),
    producers: having(plugins, isProducer),
    preRequests: having(plugins, isPreRequest).toSorted(
      (a, b) => STAGES.indexOf(a.plugin.stage) - STAGES.indexOf(b.plugin.stage),
    ),
    observers: having(plugins, isObserver),
    saturation: referred(made, detector ?? 'utilization-detector', 'flowControl.saturationDetector', isDetector),
    discovery: discovery && referred(made, discovery.pluginRef, 'dataLayer.discovery', isDiscovery),
    plugins,
  };
}

/** Those that the configuration lists, in its order, or else all there are. */
function parsersOf(
  { requestHandler, parser }: PickerConfig,
  made: ReadonlyMap<string, MadePlugin>,
): readonly Named<Parser>[] {
  const listed = requestHandler.parsers.length > 0 ? requestHandler.parsers : parser === undefined ? [] : [parser];
  if (listed.length === 0) return having([...made.values()], isParser);
  return listed.map(({ pluginRef: name }, index) => ({
    name,
    plugin: referred(made, name, `requestHandler.parsers[${index}]`, isParser),
  }));
}

function referred<Part>(
  made: ReadonlyMap<string, MadePlugin>,
  name: string,
  path: string,
  is: (plugin: Plugin) => plugin is Part & Plugin,
): Part {
  const plugin = made.get(name)?.plugin;
  if (plugin !== undefined && is(plugin)) return plugin;
  const message = plugin === undefined ? `no plugin is called '${name}'` : `'${name}' is of another kind`;
  throw new ConfigError('the endpoint picker configuration is invalid', [{ path: `${path}.pluginRef`, message }]);
}

function having<Part>(plugins: readonly MadePlugin[], is: (plugin: Plugin) => plugin is Part & Plugin): Named<Part>[] {
  return plugins.flatMap(({ name, plugin }) => (is(plugin) ? [{ name, plugin }] : []));
}

function isProducer(plugin: Plugin): plugin is Producer & Plugin {
  return plugin.produce !== undefined;
}

function isPreRequest(plugin: Plugin): plugin is PreRequest & Plugin {
  return plugin.before !== undefined && plugin.stage !== undefined;
}

function isObserver(plugin: Plugin): plugin is ResponseObserver & Plugin {
  return plugin.firstChunk !== undefined || plugin.ended !== undefined;
}

function isParser(plugin: Plugin): plugin is Parser & Plugin {
  return plugin.parse !== undefined && plugin.suffixes !== undefined;
}

function isDetector(plugin: Plugin): plugin is SaturationDetector & Plugin {
  return plugin.saturation !== undefined;
}

function isDiscovery(plugin: Plugin): plugin is Discovery & Plugin {
  return plugin.start !== undefined && plugin.close !== undefined;
}
