import { readFileSync } from 'node:fs';
import { ATTRIBUTES, METRICS, SPANS } from '#telemetry';
import { code, table } from './markdown.mjs';

const PAGE = 'docs/observability.md';

/** The tables in `docs/observability.md`, from the catalogues; the rest of the page is written by hand. */
export function observability(root) {
  const page = readFileSync(root + PAGE, 'utf8');
  const blocks = { metrics: metricTable(), spans: spanTable() };
  const text = Object.entries(blocks).reduce((soFar, [name, block]) => withBlock(soFar, name, block), page);
  return [{ path: PAGE, text }];
}

function metricTable() {
  const rows = Object.values(METRICS).map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help,
  ]);
  return table(['Metric', 'Type', 'Labels', 'Meaning'], rows);
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

/** @throws Error where the page has no such markers */
function withBlock(page, name, block) {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${PAGE} has no place for ${name}: ${begin} and ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${block}\n\n${page.slice(to)}`;
}
