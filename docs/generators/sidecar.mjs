import { readFileSync } from 'node:fs';
import { ATTRIBUTES } from '#telemetry';
import { SIDECAR_ATTRIBUTES, SIDECAR_METRICS, SIDECAR_SPANS } from '#telemetry/sidecar';
import { sidecarConfig } from '../../dist/apps/sidecar/sidecar.config.js';
import { FLAG_VARIABLES, sidecarFlags } from '../../dist/apps/sidecar/sidecar.flags.js';
import { withBlocks } from './blocks.mjs';
import { code, metricRows, spanTable, table } from './markdown.mjs';

const PAGE = 'docs/sidecar.md';

/** The tables in `docs/sidecar.md`; the rest of the page is written by hand. */
export function sidecar(root) {
  const page = readFileSync(root + PAGE, 'utf8');
  const metrics = table(['Metric', 'Type', 'Labels', 'Meaning'], metricRows(SIDECAR_METRICS));
  const spans = spanTable(SIDECAR_SPANS, { ...ATTRIBUTES, ...SIDECAR_ATTRIBUTES });
  const blocks = { flags: flagTable(), 'sidecar-metrics': metrics, 'sidecar-spans': spans };
  return [{ path: PAGE, text: withBlocks(PAGE, page, blocks) }];
}

function flagTable() {
  const rows = sidecarFlags.map(({ name, default: value, help }) => {
    const variable = FLAG_VARIABLES[name];
    const key = name in sidecarConfig.shape ? 'yes' : '';
    return [
      code(`--${name}`),
      value === undefined ? '' : code(String(value)),
      variable === undefined ? '' : code(variable),
      key,
      help,
    ];
  });
  return table(['Flag', 'Default', 'Variable', 'In the file', ''], rows);
}
