import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { PickerSetting } from './picker.process.ts';

interface Sample {
  readonly plugins: readonly { readonly type: string }[];
}

/** A sample of `config/epp`, to which its endpoints are said by a file that is watched. @param without types of plugins that are left out */
export function sampleConfig(
  sample: string,
  endpoints: string,
  without: readonly string[] = [],
): PickerSetting['config'] {
  const text = readFileSync(new URL(`../../../config/epp/${sample}`, import.meta.url), 'utf8');
  const written = parse(text) as Sample; // a spec of the picker loads it
  const discovery = { type: 'file-discovery', parameters: { path: endpoints, watchFile: true } };
  return {
    ...written,
    plugins: [...written.plugins.filter(({ type }) => !without.includes(type)), discovery],
    dataLayer: { discovery: { pluginRef: discovery.type } },
  };
}
