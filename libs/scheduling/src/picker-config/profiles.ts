import type { ConfigProblem } from '#config';
import { MaxScorePicker } from '../pickers/max-score.picker.ts';
import type { Filter, Picker, Plugin, Scorer } from '../plugin.ts';
import { SchedulingProfile } from '../scheduling-profile.ts';
import type { Named, WeightedScorer } from '../scheduling-profile.ts';
import type { PickerConfig } from './picker-config.schema.ts';
import type { MadePlugin } from './made-plugin.ts';

type ProfileEntry = PickerConfig['schedulingProfiles'][number];
type Made = ReadonlyMap<string, MadePlugin>;

/** The profiles of the configuration; where it has none, one of everything that is configured. */
export function buildProfiles(
  { schedulingProfiles }: PickerConfig,
  made: Made,
  problems: ConfigProblem[],
): ReadonlyMap<string, SchedulingProfile> {
  const entries = schedulingProfiles.length > 0 ? schedulingProfiles : [everything(made)];
  const profiles = new Map<string, SchedulingProfile>();
  entries.forEach((entry, index) => {
    const path = `schedulingProfiles[${index}]`;
    if (profiles.has(entry.name))
      problems.push({ path: `${path}.name`, message: `there is a profile '${entry.name}' already` });
    profiles.set(entry.name, buildProfile(entry, path, made, problems));
  });
  return profiles;
}

function buildProfile(entry: ProfileEntry, path: string, made: Made, problems: ConfigProblem[]): SchedulingProfile {
  const filters: Named<Filter>[] = [];
  const scorers: WeightedScorer[] = [];
  const pickers: Named<Picker>[] = [];
  entry.plugins.forEach(({ pluginRef: name, weight }, index) => {
    const plugin = made.get(name)?.plugin;
    const fault = (message: string): void =>
      void problems.push({ path: `${path}.plugins[${index}].pluginRef`, message });
    if (plugin === undefined) return fault(`no plugin is called '${name}'`);
    const isUsed = [
      isFilter(plugin) && filters.push({ name, plugin }),
      isScorer(plugin) && scorers.push({ name, plugin, weight }),
      isPicker(plugin) && pickers.push({ name, plugin }),
    ].some(Boolean);
    if (!isUsed) fault(`'${name}' neither filters nor scores nor picks`);
    if (pickers.length > 1) fault('a profile has one picker at most');
  });
  return new SchedulingProfile(entry.name, filters, scorers, pickers[0] ?? defaultPicker(made));
}

/** A picker that is configured somewhere, or else the one with the highest score. */
function defaultPicker(made: Made): Named<Picker> {
  for (const { name, plugin } of made.values()) if (isPicker(plugin)) return { name, plugin };
  return { name: 'max-score-picker', plugin: new MaxScorePicker({ maxNumOfEndpoints: 1 }) };
}

function everything(made: Made): ProfileEntry {
  const isOfProfile = ({ plugin }: MadePlugin): boolean => isFilter(plugin) || isScorer(plugin) || isPicker(plugin);
  const plugins = [...made.values()].filter(isOfProfile).map(({ name }) => ({ pluginRef: name, weight: 1 }));
  return { name: 'default', plugins };
}

function isFilter(plugin: Plugin): plugin is Filter {
  return plugin.filter !== undefined;
}

function isScorer(plugin: Plugin): plugin is Scorer {
  return plugin.score !== undefined;
}

/** A handler has `next` and `conclude`, a picker `pick`. */
function isPicker(plugin: Plugin): plugin is Picker {
  return plugin.pick !== undefined;
}
