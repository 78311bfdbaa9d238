// Writes what dashboards/src describes: Grafana dashboards, and Prometheus rules with their tests.
//
//   node dashboards/generate.mjs           writes
//   node dashboards/generate.mjs --check   fails where a file is not what would be written
//
// The sources are TypeScript that Node runs as it is.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';
import { DASHBOARDS } from './src/all-dashboards.ts';
import { RULE_SETS } from './src/all-rules.ts';
import { rulesFile } from './src/rules-file.ts';
import { rulesTestFiles } from './src/rules-test-files.ts';

const FOLDER = import.meta.dirname;
const ROOT = dirname(FOLDER);
const MADE = '# Made by dashboards/generate.mjs from dashboards/src.\n';

const files = {
  ...Object.fromEntries(
    Object.entries(DASHBOARDS).map(([name, dashboard]) => [`generated/${name}.json`, JSON.stringify(dashboard)]),
  ),
  ...Object.fromEntries(RULE_SETS.flatMap(ruleFiles)),
};

const stale = [];
for (const [name, text] of Object.entries(files)) {
  const path = join(FOLDER, name);
  const formatted = await format(text, { ...(await resolveConfig(path)), filepath: path });
  if (current(path) === formatted) continue;
  stale.push(relative(ROOT, path));
  if (isCheck()) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, formatted);
}

if (isCheck() && stale.length > 0) {
  console.error(`Not up to date, run node dashboards/generate.mjs:\n${stale.map((path) => `  ${path}`).join('\n')}`);
  process.exitCode = 1;
} else {
  console.log(stale.length === 0 ? 'Nothing to write.' : `Written:\n${stale.map((path) => `  ${path}`).join('\n')}`);
}

/** Where Prometheus finds rules: `SLUG.rules.yaml`; and where promtool finds tests: `*.rules.test.yaml`. */
function ruleFiles(rules) {
  const { slug } = rules.component;
  const tests = rulesTestFiles(rules, `${slug}.rules.yaml`);
  return [
    [`alerts/${slug}.rules.yaml`, yaml(rulesFile(rules))],
    [`alerts/${slug}.rules.test.yaml`, yaml(tests.short)],
    [`alerts/${slug}.long.rules.test.yaml`, yaml(tests.long)],
  ];
}

function isCheck() {
  return process.argv.includes('--check');
}

function current(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function yaml(value) {
  return MADE + stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
