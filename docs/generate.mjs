// Writes the documents that are made from the code: `npm run docs`. With --check it writes nothing and names what is stale.
// It reads the build, so build first.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { asyncWorker } from './generators/async-worker.mjs';
import { configuration } from './generators/configuration.mjs';
import { dependencyProblems } from './generators/dependencies.mjs';
import { endpointPicker } from './generators/endpoint-picker.mjs';
import { errors } from './generators/errors.mjs';
import { helmChart } from './generators/helm-chart.mjs';
import { importGraph } from './generators/import-graph.mjs';
import { kustomize } from './generators/kustomize.mjs';
import { observability } from './generators/observability.mjs';
import { sidecar } from './generators/sidecar.mjs';
import { wireFormats } from './generators/wire-formats.mjs';
import { performancePages } from '../test/bench/report/page.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const isCheck = process.argv.includes('--check');

const documents = [
  ...asyncWorker(ROOT),
  ...(await configuration(ROOT)),
  ...endpointPicker(ROOT),
  ...errors(),
  ...helmChart(ROOT),
  ...importGraph(ROOT),
  ...kustomize(ROOT),
  ...observability(ROOT),
  ...performancePages(ROOT),
  ...sidecar(ROOT),
  ...wireFormats(ROOT),
];
const problems = dependencyProblems(ROOT);
for (const { path, text } of documents) {
  const file = ROOT + path;
  const wanted = await format(text, { ...(await resolveConfig(file)), filepath: file });
  const found = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (found === wanted) continue;
  if (isCheck) problems.push(`${path}: ${firstDifference(found, wanted)}; "npm run docs" writes it anew`);
  else {
    writeFileSync(file, wanted);
    console.log(`wrote ${path}`);
  }
}
for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log(`docs: ${documents.length} generated files are up to date`);
process.exitCode = problems.length === 0 ? 0 : 1;

function firstDifference(found, wanted) {
  if (found === '') return 'is missing';
  const [before, after] = [found, wanted].map((text) => text.split('\n'));
  const line = after.findIndex((text, index) => text !== before[index]);
  return `is stale from line ${line < 0 ? after.length : line + 1}`;
}
