import { ConfigError } from '#config';
import type { ConfigProblem } from '#config';
import { EndpointStore } from '../endpoint.store.ts';
import { PLUGINS } from '../plugins.ts';
import { loadPickerConfig } from './load-picker-config.ts';
import type { PickerConfigSource } from './load-picker-config.ts';
import { buildPicker } from './picker.factory.ts';
import type { PickerParts } from './picker-parts.ts';

/** The list that the configuration chooses from. */
export const CLASSES = PLUGINS;

/** The parts of a configuration, and what was warned of. */
export function built(source: PickerConfigSource): {
  readonly parts: PickerParts;
  readonly warnings: readonly string[];
} {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const config = loadPickerConfig(source, warn);
  return { parts: buildPicker(config, { classes: CLASSES, endpoints: new EndpointStore(), warn }), warnings };
}

/** A file with that after its head. */
export function written(rest: string): { readonly text: string } {
  return { text: `apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n${rest}` };
}

/** Everything that is wrong with a file, as `path: message`. */
export function problems(rest: string): readonly string[] {
  return problemsOf(written(rest)).map(({ path, message }) => `${path}: ${message}`);
}

/** Everything that is wrong with a source. */
export function problemsOf(source: PickerConfigSource): readonly ConfigProblem[] {
  try {
    built(source);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** Names of plugins, in their order. */
export function names(plugins: readonly { readonly name: string }[]): readonly string[] {
  return plugins.map(({ name }) => name);
}
