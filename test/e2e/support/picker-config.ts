import type { PickerSetting } from './picker.process.ts';

export type Phase = 'encode' | 'prefill' | 'decode';

export const PHASES: readonly Phase[] = ['encode', 'prefill', 'decode'];

/** Uncached tokens from which on a prompt counts as cold, and the tokens of a block. */
const COLD_FROM = 16;

type PluginEntry = Readonly<{ type: string; parameters?: Readonly<Record<string, unknown>> }>;

/**
 * Of a picker in coordinator mode that has a profile for each of the phases, and its endpoints from a file.
 * @param changes parameters by plugin type; a type that is not there yet is added
 */
export function pickerConfig(
  endpoints: string,
  phases: readonly Phase[],
  changes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): PickerSetting['config'] {
  const plugins: Record<string, Readonly<Record<string, unknown>>> = {
    'header-profile-handler': {},
    ...Object.fromEntries(phases.map((phase) => [filterOf(phase), {}])),
    'approx-prefix-cache-producer': { autoTune: false, blockSizeTokens: COLD_FROM },
    'inflight-load-producer': {},
    'prefix-cache-scorer': {},
    'queue-scorer': {},
    'prefix-based-pd-decider': { nonCachedTokens: COLD_FROM },
    'file-discovery': { path: endpoints, watchFile: true },
    ...changes,
  };
  return {
    apiVersion: 'llm-d.ai/v1alpha1',
    kind: 'EndpointPickerConfig',
    plugins: Object.entries(plugins).map(entryOf),
    schedulingProfiles: phases.map((phase) => ({
      name: phase,
      plugins: [
        { pluginRef: filterOf(phase) },
        { pluginRef: 'prefix-cache-scorer', weight: 2 },
        { pluginRef: 'queue-scorer' },
      ],
    })),
    dataLayer: { discovery: { pluginRef: 'file-discovery' } },
  };
}

function filterOf(phase: Phase): string {
  return `${phase}-filter`;
}

/** Parameters are left out where there are none: a plugin without any refuses them. */
function entryOf([type, parameters]: readonly [string, Readonly<Record<string, unknown>>]): PluginEntry {
  return Object.keys(parameters).length === 0 ? { type } : { type, parameters };
}
