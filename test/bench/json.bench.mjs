/**
 * Times the built `#json` against JSON.parse and JSON.stringify.
 *
 *   node test/bench/json.bench.mjs [--rounds 7] [--json FILE]
 *
 * Rounds are interleaved; a row is the median of its rounds with their spread. Under 1, `#json` takes less. A ratio counts only where
 * it is farther from another than the spreads are wide.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { workloads } from './json-workloads.mjs';

/** Milliseconds that one sample runs for at least. */
const SAMPLE = 12;
/** Milliseconds that a work runs for before the first sample: code that is cold takes three times as long. */
const WARM_UP = 80;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' }, json: { type: 'string' } } });
const rows = workloads().map((workload) => measured(workload, Number(values.rounds)));
process.stdout.write(table(rows));
if (values.json !== undefined) {
  writeFileSync(
    values.json,
    `${JSON.stringify({ node: process.version, rounds: Number(values.rounds), rows }, null, 2)}\n`,
  );
}

function measured({ document, work, ours, parsed }, rounds) {
  const counts = [calibrated(ours), calibrated(parsed)];
  const samples = { ours: [], parsed: [] };
  for (let round = 0; round < rounds; round++) {
    samples.ours.push(microseconds(ours, counts[0]));
    samples.parsed.push(microseconds(parsed, counts[1]));
  }
  const [a, b] = [summary(samples.ours), summary(samples.parsed)];
  return { document, work, ours: a, parsed: b, ratio: a.median / b.median };
}

/** How often a work runs in a sample; warms it up at the same time. */
function calibrated(work) {
  const started = performance.now();
  let count = 1;
  while (microseconds(work, count) * count < SAMPLE * 1000) count *= 2;
  while (performance.now() - started < WARM_UP) microseconds(work, count);
  return count;
}

/** Of one run, on average. */
function microseconds(work, count) {
  let made = 0;
  const start = performance.now();
  for (let run = 0; run < count; run++) made += work();
  const took = performance.now() - start;
  if (made === 0) throw new Error('the work made nothing');
  return (took * 1000) / count;
}

/** In microseconds; `spread` is from the fastest to the slowest round, as a part of the median. */
function summary(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const median = sorted[sorted.length >> 1];
  return { median, spread: (sorted.at(-1) - sorted[0]) / median };
}

function table(list) {
  const cells = list.map(({ document, work, ours, parsed, ratio }) => [
    document,
    work,
    shown(ours),
    shown(parsed),
    ratio.toPrecision(2),
  ]);
  const head = ['document', 'work (#json | platform)', '#json µs', 'JSON µs', 'ratio'];
  const widths = head.map((_, column) => Math.max(...[head, ...cells].map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, at) => (at < 2 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  ');
  return `${[head, ...cells].map(line).join('\n')}\n`;
}

function shown({ median, spread }) {
  return `${median < 100 ? median.toFixed(2) : median.toFixed(0)} ±${(spread * 50).toFixed(0)}%`;
}
