/** Measures the coordinator: `npm run bench`, and `npm run bench -- --help` for what it can do. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBench } from './measure/bench.mjs';
import { profile } from './measure/profile.mjs';
import { catalogue, measure } from './measure/run.mjs';
import { help, readOptions } from './options.mjs';
import { COORDINATOR } from './programs/bench-programs.mjs';
import { ratioChart } from './report/chart.mjs';
import { clearlyOut } from './report/judgements.mjs';
import { writePage } from './report/page.mjs';
import { terminalReport } from './report/table.mjs';
import { aligned } from './report/figures.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

// what was started ends with it
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

try {
  process.exitCode = await main(readOptions(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 1;
}

async function main(options) {
  if (options.help) return print(help());
  if (options.list)
    return print(
      `${aligned(
        catalogue().map(({ name, about }) => [name, about]),
        2,
      )}\n`,
    );
  if (options.render !== undefined) return report(JSON.parse(readFileSync(options.render, 'utf8')), options);
  if (process.platform !== 'linux') return unmeasured(options);
  if (!existsSync(COORDINATOR)) throw new Error(`${COORDINATOR} is not there: "npm run build" makes it`);
  const bench = await openBench({ ...options, out: resolve(ROOT, options.out) }, ROOT);
  try {
    if (options.profile) return print(`${(await profile(bench)).join('\n')}\n`);
    return await report(await measure(bench), bench.options);
  } finally {
    bench.close();
  }
}

/** Writes what there is to write. @returns the exit status: 1 when the guard of `--quick` found something */
async function report(results, options) {
  print(terminalReport(results));
  const out = resolve(ROOT, options.out);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
  if (results.comparisons.length > 0) writeFileSync(join(out, 'ratios.svg'), ratioChart(results));
  print(`\nresults.json${results.comparisons.length > 0 ? ' and ratios.svg are' : ' is'} in ${out}\n`);
  if (options.writeDocs) print(`wrote ${(await writePage(results, ROOT, options.only === undefined)).join(', ')}\n`);
  if (!options.quick) return 0;
  const problems = clearlyOut(results);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

/** The guard passes where nothing can be measured, and says so. @throws Error for anything else */
function unmeasured({ quick }) {
  const reason = 'it reads /proc, which only Linux has';
  if (!quick) throw new Error(reason);
  return print(`SKIPPED: ${reason}\n`);
}

function print(text) {
  process.stdout.write(text);
  return 0;
}
