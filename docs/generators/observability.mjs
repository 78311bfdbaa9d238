import { readFileSync } from 'node:fs';
import { ATTRIBUTES, METRICS, SPANS } from '#telemetry';
import { withBlocks } from './blocks.mjs';
import { code, metricRows, table } from './markdown.mjs';

const PAGE = 'docs/observability.md';

/** The tables in `docs/observability.md`, from the catalogues; the rest of the page is written by hand. */
export function observability(root) {
  const page = readFileSync(root + PAGE, 'utf8');
  return [{ path: PAGE, text: withBlocks(PAGE, page, { metrics: metricTable(), spans: spanTable() }) }];
}

function metricTable() {
  return table(['Metric', 'Type', 'Labels', 'Meaning'], metricRows(METRICS));
}

function spanTable() {
  const rows = SPANS.map(({ name, kind, when, attributes }) => [
    code(name),
    kind,
    when,
    attributes.map((key) => code(ATTRIBUTES[key])).join(', '),
  ]);
  return table(['Span', 'Kind', 'When', 'Attributes'], rows);
}
