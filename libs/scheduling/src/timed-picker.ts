import type { PickerParts } from './picker-config/picker-parts.ts';
import { timed } from './plugin-timer.ts';
import type { ExtensionPoint, PluginTimer, PluginTimers } from './plugin-timer.ts';
import type {
  Filter,
  Parser,
  Picker,
  PreRequest,
  Producer,
  ProfileHandler,
  ResponseObserver,
  Scorer,
  Screener,
} from './plugin.ts';
import type { Named, SchedulingProfile } from './scheduling-profile.ts';

/** The same picker, which tells how long each call of each of its plugins took. One that nobody times pays nothing for it. */
export function timedPicker(parts: PickerParts, timers: PluginTimers): PickerParts {
  const types = new Map(parts.plugins.map(({ name, type }) => [name, type]));
  // a default that no configuration names goes by its type
  const timer = (point: ExtensionPoint, name: string): PluginTimer =>
    timers(point, { name, type: types.get(name) ?? name });
  const each = <Part>(
    point: ExtensionPoint,
    plugins: readonly Named<Part>[],
    wrap: (plugin: Part, timer: PluginTimer) => Part,
  ): readonly Named<Part>[] => plugins.map(({ name, plugin }) => ({ name, plugin: wrap(plugin, timer(point, name)) }));
  const { handler } = parts;
  return {
    ...parts,
    handler: {
      name: handler.name,
      plugin: timedHandler(
        handler.plugin,
        timer('ProfilePicker', handler.name),
        timer('ProcessProfilesResults', handler.name),
      ),
    },
    parsers: each('RequestParsing', parts.parsers, timedParser),
    screeners: each('Screener', parts.screeners, timedScreener),
    producers: each('DataProducer', parts.producers, timedProducer),
    preRequests: each('PreRequest', parts.preRequests, timedPreRequest),
    observers: each('ResponseStreaming', parts.observers, timedObserver),
    profiles: new Map([...parts.profiles].map(([name, profile]) => [name, timedProfile(profile, timer)])),
  };
}

function timedProfile(
  profile: SchedulingProfile,
  timer: (point: ExtensionPoint, name: string) => PluginTimer,
): SchedulingProfile {
  return profile.with({
    filter: ({ name, plugin }) => timedFilter(plugin, timer('Filter', name)),
    scorer: ({ name, plugin }) => timedScorer(plugin, timer('Scorer', name)),
    picker: ({ name, plugin }) => timedPick(plugin, timer('Picker', name)),
  });
}

function timedFilter(plugin: Filter, timer: PluginTimer): Filter {
  return { filter: (request, candidates) => timed(timer, () => plugin.filter(request, candidates)) };
}

function timedScorer(plugin: Scorer, timer: PluginTimer): Scorer {
  return { score: (request, candidates) => timed(timer, () => plugin.score(request, candidates)) };
}

function timedPick(plugin: Picker, timer: PluginTimer): Picker {
  return { pick: (scored) => timed(timer, () => plugin.pick(scored)) };
}

function timedHandler(plugin: ProfileHandler, next: PluginTimer, conclude: PluginTimer): ProfileHandler {
  return {
    next: (...given) => timed(next, () => plugin.next(...given)),
    conclude: (...given) => timed(conclude, () => plugin.conclude(...given)),
  };
}

function timedParser(plugin: Parser, timer: PluginTimer): Parser {
  const { suffixes, appProtocols } = plugin;
  const parse: Parser['parse'] = (...given) => timed(timer, () => plugin.parse(...given));
  return { suffixes, parse, ...(appProtocols !== undefined && { appProtocols }) };
}

function timedScreener(plugin: Screener, timer: PluginTimer): Screener {
  return { screen: (request, candidates) => timed(timer, () => plugin.screen(request, candidates)) };
}

function timedProducer(plugin: Producer, timer: PluginTimer): Producer {
  const { timeout } = plugin;
  const produce: Producer['produce'] = (...given) => timed(timer, () => plugin.produce(...given));
  return timeout === undefined ? { produce } : { timeout, produce };
}

function timedPreRequest(plugin: PreRequest, timer: PluginTimer): PreRequest {
  const { stage } = plugin;
  return { stage, before: (request, result) => timed(timer, () => plugin.before(request, result)) };
}

/** Nothing is told of what it does not listen to. */
function timedObserver(plugin: ResponseObserver, timer: PluginTimer): ResponseObserver {
  return {
    ...(plugin.firstChunk && { firstChunk: (request) => timed(timer, () => plugin.firstChunk?.(request)) }),
    ...(plugin.ended && { ended: (request, how) => timed(timer, () => plugin.ended?.(request, how)) }),
  };
}
