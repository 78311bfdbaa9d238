import type { PickerConfig } from './picker-config.schema.ts';
import type { PlannedPlugin } from './plugin-set.ts';
import type { PluginSet } from './plugin-set.ts';

/** The detector that is used where the configuration names none. */
export const DEFAULT_DETECTOR = 'utilization-detector';
const DEFAULT_HANDLER = 'single-profile-handler';
/** The last one takes what no other does. */
const DEFAULT_PARSERS = ['openai-parser', 'anthropic-parser', 'vllmhttp-parser', 'passthrough-parser'];
const DEFAULT_DATA_LAYER = ['metrics-data-source', 'core-metrics-extractor'];

/** Adds what is there though no configuration says so (`epp.md` 3.5), but for what plugins require. */
export function addDefaultPlugins(set: PluginSet, config: PickerConfig): void {
  const isHandled = [...set.plugins.values()].some(handlesProfiles);
  if (config.schedulingProfiles.length < 2 && !isHandled) set.addDefault(DEFAULT_HANDLER);
  if (detectorOf(config) === undefined) set.addDefault(DEFAULT_DETECTOR);
  if (parsersOf(config).length === 0) for (const type of DEFAULT_PARSERS) set.addDefault(type);
  if (config.dataLayer.injectDefaults) for (const type of DEFAULT_DATA_LAYER) set.addDefault(type);
}

/** Path and name of the saturation detector that is asked for; the newer place wins. */
export function detectorOf({ flowControl, saturationDetector }: PickerConfig): Reference | undefined {
  if (flowControl.saturationDetector !== undefined) {
    return { path: 'flowControl.saturationDetector', name: flowControl.saturationDetector.pluginRef };
  }
  return saturationDetector && { path: 'saturationDetector', name: saturationDetector.pluginRef };
}

/** Paths and names of the parsers that are asked for; the newer place wins. */
export function parsersOf({ requestHandler, parser }: PickerConfig): readonly Reference[] {
  const listed = requestHandler.parsers.map(({ pluginRef: name }, index) => ({
    path: `requestHandler.parsers[${index}]`,
    name,
  }));
  if (listed.length > 0 || parser === undefined) return listed;
  return [{ path: 'parser', name: parser.pluginRef }];
}

/** A place of the configuration that names a plugin. */
export interface Reference {
  readonly path: string;
  readonly name: string;
}

/** Known before it is made, by the method that only handlers have. */
function handlesProfiles({ make }: PlannedPlugin): boolean {
  const prototype: unknown = make.prototype;
  return typeof prototype === 'object' && prototype !== null && 'conclude' in prototype;
}
