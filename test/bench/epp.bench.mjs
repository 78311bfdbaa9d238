/**
 * Measures what the endpoint picker costs: a decision in this process, and the built picker as a process. `npm run bench:epp`. Reads the
 * build, so build first.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machine, version } from './measure/machine.mjs';
import { measuredDecisions } from './measure/picker-decisions.mjs';
import { measuredPicker } from './measure/picker-process.mjs';
import { placement } from './programs/cores.mjs';
import { aligned, significant } from './report/figures.mjs';
import { DECISION_HEAD, PROCESS_HEAD, decisionRow, processRow, writePickerPage } from './report/picker.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ENDPOINTS = [10, 100, 500];
const TOKENS = [1_000, 10_000, 100_000];
/** The promise: milliseconds at the 99th percentile, with 100 endpoints and 10k tokens. */
const TARGET = { endpoints: 100, tokens: 10_000, p99: 5 };
/** By how much the cost of a decision may grow beyond endpoints × tokens. */
const GROWTH = 1.5;
const HELP = `node test/bench/epp.bench.mjs [options]   (npm run build first)

  --seconds S    seconds of each slice (3)
  --decisions    decisions alone, without the process, whose memory takes minutes to fill
  --write-docs   keeps this run for docs/performance.md, which npm run docs writes
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    decisions: { type: 'boolean', default: false },
    'write-docs': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else process.exitCode = await main(Number(values.seconds));

async function main(seconds) {
  const started = new Date().toISOString();
  const decisions = [];
  for (const endpoints of ENDPOINTS) {
    for (const tokens of TOKENS) decisions.push(await measuredDecisions(endpoints, tokens, seconds));
  }
  print([DECISION_HEAD, ...decisions.map(decisionRow)]);
  const processes = [];
  for (const endpoints of values.decisions ? [] : ENDPOINTS) processes.push(await measuredPicker(endpoints, seconds));
  if (processes.length > 0) print([PROCESS_HEAD, ...processes.map(processRow)]);
  await keep({ version: version(ROOT), machine: machine(placement()), started, seconds, decisions, processes });
  const problems = judged(decisions);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

function print(rows) {
  process.stdout.write(`${aligned(rows, 0)}\n\n`);
}

async function keep(run) {
  mkdirSync(`${ROOT}dist/bench`, { recursive: true });
  writeFileSync(`${ROOT}dist/bench/epp.json`, `${JSON.stringify(run, null, 1)}\n`);
  if (values['write-docs']) await writePickerPage(run, ROOT);
}

/** What is not as promised. */
function judged(rows) {
  const find = (endpoints, tokens) => rows.find((row) => row.endpoints === endpoints && row.tokens === tokens);
  const promised = find(TARGET.endpoints, TARGET.tokens);
  const problems =
    promised.p99 <= TARGET.p99
      ? []
      : [
          `p99 with ${TARGET.endpoints} endpoints and ${TARGET.tokens} tokens is ${significant(promised.p99)} ms, not ${TARGET.p99}`,
        ];
  const [small, large] = [find(100, 10_000), find(500, 100_000)];
  const growth = large.cpu / small.cpu / ((500 * 100_000) / (100 * 10_000));
  if (growth > GROWTH) problems.push(`the cost grows ${significant(growth)} times as fast as endpoints × tokens`);
  return problems;
}
