import { readFileSync } from 'node:fs';
import { PLUGINS, pluginMetadata } from '#scheduling';
import { ATTRIBUTES } from '#telemetry';
import { PICKER_ATTRIBUTES, PICKER_METRICS, PICKER_SPANS } from '#telemetry/picker';
import { withBlocks } from './blocks.mjs';
import { code, metricRows, spanTable, table } from './markdown.mjs';

const PAGE = 'docs/endpoint-picker.md';
/** What a plugin can be, by the method that makes it so. */
const KINDS = {
  parse: 'parser',
  conclude: 'profile handler',
  disaggregate: 'decider',
  filter: 'filter',
  screen: 'screener',
  produce: 'producer',
  score: 'scorer',
  pick: 'picker',
  saturation: 'saturation',
  origin: 'data layer',
  extract: 'data layer',
  start: 'discovery',
  before: 'before sending',
};

/** The tables in `docs/endpoint-picker.md`; the rest of the page is written by hand. */
export function endpointPicker(root) {
  const page = readFileSync(root + PAGE, 'utf8');
  const metrics = table(['Metric', 'Type', 'Labels', 'Meaning'], metricRows(PICKER_METRICS));
  const spans = spanTable(PICKER_SPANS, { ...ATTRIBUTES, ...PICKER_ATTRIBUTES });
  const blocks = { plugins: pluginTable(), 'picker-metrics': metrics, 'picker-spans': spans };
  return [{ path: PAGE, text: withBlocks(PAGE, page, blocks) }];
}

function pluginTable() {
  const rows = PLUGINS.map((plugin) => {
    const { type, formerly = [], requires = [], deprecatedBy } = pluginMetadata(plugin);
    const former = formerly.length === 0 ? '' : `formerly ${formerly.map(code).join(', ')}`;
    const notes = [deprecatedBy === undefined ? '' : `deprecated: use ${code(deprecatedBy)}`, former];
    const needs = requires.map(code).join(', ');
    return [code(type), kindOf(plugin), needs, notes.filter((note) => note !== '').join('; ')];
  });
  return table(['Type', 'What it is', 'Made with it', ''], rows);
}

function kindOf({ prototype }) {
  return Object.entries(KINDS).find(([method]) => method in prototype)?.[1] ?? '';
}
