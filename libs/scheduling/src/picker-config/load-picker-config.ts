import { ConfigError, parseTree, readTree } from '#config';
import { OLD_API_VERSION, pickerConfigSchema } from './picker-config.schema.ts';
import type { PickerConfig } from './picker-config.schema.ts';

/** What is in force where nothing is configured (`epp.md` 3.5). */
const DEFAULT = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: prefix-cache-scorer
- type: max-score-picker
- type: single-profile-handler
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: prefix-cache-scorer, weight: 3}
  - {pluginRef: max-score-picker}
`;

/** A configuration file, or its text, but not both; with neither, the default. */
export interface PickerConfigSource {
  readonly file?: string | undefined;
  readonly text?: string | undefined;
}

/** @throws ConfigError with every problem of the file's own structure; what plugins make of it comes later */
export function loadPickerConfig({ file, text }: PickerConfigSource, warn: (message: string) => void): PickerConfig {
  if (file !== undefined && text !== undefined)
    throw new ConfigError('a configuration file and its text exclude each other');
  const source = file === undefined && text === undefined ? { text: DEFAULT } : { file, text };
  const { config } = parseTree(readTree(source), pickerConfigSchema, { env: {}, envPrefix: 'EPP' });
  for (const message of noticesOf(config)) warn(message);
  return config;
}

/** What is accepted and should be changed, or does not do what it says. */
function noticesOf(config: PickerConfig): readonly string[] {
  return [
    config.apiVersion === OLD_API_VERSION && `apiVersion ${OLD_API_VERSION} is deprecated: use llm-d.ai/v1alpha1`,
    config.parser !== undefined && 'parser is deprecated: use requestHandler.parsers',
    config.saturationDetector !== undefined && 'saturationDetector is deprecated: use flowControl.saturationDetector',
    isOn('flowControl', config) && 'feature gate flowControl has no effect: requests are not queued',
  ].filter((message) => message !== false);
}

/** The last mention of a gate counts. */
function isOn(gate: string, { featureGates }: PickerConfig): boolean {
  const last = featureGates.findLast((one) => one.split('=', 1)[0] === gate);
  return last !== undefined && !last.endsWith('=false');
}
