import { readFileSync } from 'node:fs';
import { ATTRIBUTES, METRICS, SPANS } from '#telemetry';
import { ASYNC_WORKER_ATTRIBUTES, ASYNC_WORKER_METRICS, ASYNC_WORKER_SPANS } from '#telemetry/async-worker';
import { withBlocks } from './blocks.mjs';
import { code, metricRows, spanTable, table } from './markdown.mjs';

const PAGE = 'docs/observability.md';

/** The tables in `docs/observability.md`, from the catalogues; the rest of the page is written by hand. */
export function observability(root) {
  const page = readFileSync(root + PAGE, 'utf8');
  const blocks = {
    metrics: metricTable(METRICS),
    spans: ownSpanTable(),
    'async-worker-metrics': metricTable(ASYNC_WORKER_METRICS),
    'async-worker-spans': spanTable(ASYNC_WORKER_SPANS, { ...ATTRIBUTES, ...ASYNC_WORKER_ATTRIBUTES }),
  };
  return [{ path: PAGE, text: withBlocks(PAGE, page, blocks) }];
}

function metricTable(catalogue) {
  return table(['Metric', 'Type', 'Labels', 'Meaning'], metricRows(catalogue));
}

function ownSpanTable() {
  const rows = SPANS.map(({ name, kind, when, attributes }) => [
    code(name),
    kind,
    when,
    attributes.map((key) => code(ATTRIBUTES[key])).join(', '),
  ]);
  return table(['Span', 'Kind', 'When', 'Attributes'], rows);
}
