import { parseTree, readTree } from '#config';
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

/** A configuration file, or its text; with neither, the default. */
export interface PickerConfigSource {
  readonly file?: string | undefined;
  readonly text?: string | undefined;
}

/** @throws ConfigError with every problem of the file's own structure; what plugins make of it comes later */
export function loadPickerConfig({ file, text }: PickerConfigSource, warn: (message: string) => void): PickerConfig {
  const source = file === undefined && text === undefined ? { text: DEFAULT } : { file, text };
  const { config } = parseTree(readTree(source), pickerConfigSchema, { env: {}, envPrefix: 'EPP' });
  if (config.apiVersion === OLD_API_VERSION) warn(`apiVersion ${OLD_API_VERSION} is deprecated: use llm-d.ai/v1alpha1`);
  if (config.parser !== undefined) warn('parser is deprecated: use requestHandler.parsers');
  if (config.saturationDetector !== undefined)
    warn('saturationDetector is deprecated: use flowControl.saturationDetector');
  return config;
}
