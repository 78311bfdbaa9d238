import type {
  Decider,
  Discovery,
  Filter,
  Parser,
  Picker,
  Plugin,
  PreRequest,
  Producer,
  ProfileHandler,
  ResponseObserver,
  SaturationDetector,
  Scorer,
  Screener,
} from './plugin.ts';

/** Whether a plugin is one of those; each is told by the method that no other has. */
export function isFilter(plugin: Plugin): plugin is Filter {
  return 'filter' in plugin;
}

export function isScorer(plugin: Plugin): plugin is Scorer {
  return 'score' in plugin;
}

export function isPicker(plugin: Plugin): plugin is Picker {
  return 'pick' in plugin;
}

export function isProfileHandler(plugin: Plugin): plugin is ProfileHandler {
  return 'conclude' in plugin;
}

export function isDecider(plugin: Plugin): plugin is Decider {
  return 'disaggregate' in plugin;
}

export function isScreener(plugin: Plugin): plugin is Screener {
  return 'screen' in plugin;
}

export function isProducer(plugin: Plugin): plugin is Producer {
  return 'produce' in plugin;
}

export function isPreRequest(plugin: Plugin): plugin is PreRequest {
  return 'before' in plugin;
}

export function isResponseObserver(plugin: Plugin): plugin is ResponseObserver {
  return 'firstChunk' in plugin || 'ended' in plugin;
}

export function isParser(plugin: Plugin): plugin is Parser {
  return 'parse' in plugin;
}

export function isSaturationDetector(plugin: Plugin): plugin is SaturationDetector {
  return 'saturation' in plugin;
}

export function isDiscovery(plugin: Plugin): plugin is Discovery {
  return 'start' in plugin;
}
