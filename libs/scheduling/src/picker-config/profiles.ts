import { isFilter, isPicker, isScorer } from '../plugin-kinds.ts';
import { MaxScorePicker } from '../pickers/max-score.picker.ts';
import type { Filter, Picker } from '../plugin.ts';
import { SchedulingProfile } from '../scheduling-profile.ts';
import type { Named, WeightedScorer } from '../scheduling-profile.ts';
import type { PickerConfig } from './picker-config.schema.ts';
import type { References } from './references.ts';

type ProfileEntry = PickerConfig['schedulingProfiles'][number];

/** The profiles of the configuration; where it has none, one of everything that is configured. */
export function buildProfiles(
  { schedulingProfiles }: PickerConfig,
  references: References,
  warn: (message: string) => void,
): ReadonlyMap<string, SchedulingProfile> {
  const entries = schedulingProfiles.length > 0 ? schedulingProfiles : [everything(references)];
  const profiles = new Map<string, SchedulingProfile>();
  entries.forEach((entry, index) => {
    const path = `schedulingProfiles[${index}]`;
    if (profiles.has(entry.name)) references.fault(`${path}.name`, `there is a profile '${entry.name}' already`);
    profiles.set(entry.name, buildProfile(entry, path, references, warn));
  });
  return profiles;
}

function buildProfile(
  entry: ProfileEntry,
  path: string,
  references: References,
  warn: (message: string) => void,
): SchedulingProfile {
  const filters: Named<Filter>[] = [];
  const scorers: WeightedScorer[] = [];
  const pickers: Named<Picker>[] = [];
  entry.plugins.forEach(({ pluginRef: name, weight }, index) => {
    const plugin = references.find({ path: `${path}.plugins[${index}]`, name });
    if (plugin === undefined) return;
    const isUsed = [
      isFilter(plugin) && filters.push({ name, plugin }),
      isScorer(plugin) && scorers.push({ name, plugin, weight }),
      isPicker(plugin) && pickers.push({ name, plugin }),
    ].some(Boolean);
    if (!isUsed) warn(`profile ${entry.name}: ${name} neither filters nor scores nor picks, and has no effect here`);
  });
  if (pickers.length > 1) {
    references.fault(path, `has several pickers: ${pickers.map(({ name }) => name).join(', ')}; keep one of them`);
  }
  return new SchedulingProfile(entry.name, filters, scorers, pickers[0] ?? defaultPicker(references));
}

/** A picker that is configured somewhere, or else the one with the highest score. */
function defaultPicker(references: References): Named<Picker> {
  const [configured] = references.having(isPicker);
  return configured ?? { name: 'max-score-picker', plugin: new MaxScorePicker({ maxNumOfEndpoints: 1 }) };
}

function everything(references: References): ProfileEntry {
  const used = references.plugins.filter(({ plugin }) => isFilter(plugin) || isScorer(plugin) || isPicker(plugin));
  return { name: 'default', plugins: used.map(({ name }) => ({ pluginRef: name, weight: 1 })) };
}
