// All conformance cases against the built coordinator, held against the list of those that are expected to fail.
// `npm run test:conformance`; one case: node test/conformance/run.mjs --only TEXT --verbose test/conformance/cases
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('./', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Cases between two lines of progress. */
const STRIDE = 25;

const names = casesIn(`${HERE}cases/`);
const expected = JSON.parse(readFileSync(`${HERE}expected-failures.json`, 'utf8'));
const problems = Object.keys(expected)
  .filter((name) => !names.has(name))
  .map((name) => `expected-failures.json names a case that does not exist: ${name}`);
const { passed, failed, exitCode } = await runCases();

const unknown = names.size - passed.size - failed.size;
if (unknown > 0) problems.push(`${unknown} cases were not run: the runner ended with status ${exitCode}`);
const outdated = [...passed].filter((name) => name in expected);
problems.push(...outdated.map((name) => `passes, so take it out of expected-failures.json: ${name}`));
for (const problem of problems) console.log(`FAIL  ${problem}`);

const asListed = [...failed].filter((name) => name in expected).length;
if (asListed > 0) console.log(`${asListed} more failed as listed in test/conformance/expected-failures.json`);
const wrong = failed.size - asListed + problems.length;
console.log(`conformance: ${passed.size - outdated.length} passed, ${wrong} failed`);
process.exitCode = wrong === 0 ? 0 : 1;

function casesIn(folder) {
  const files = readdirSync(folder).toSorted();
  return new Set(
    files.flatMap((file) => JSON.parse(readFileSync(folder + file, 'utf8')).map(({ name }) => `${file}: ${name}`)),
  );
}

/** Runs them all; prints progress, and each failure that is not expected with what was wrong. */
async function runCases() {
  const results = { passed: new Set(), failed: new Set() };
  const child = spawn(process.execPath, [`${HERE}run.mjs`, '--project', ROOT, '--verbose', `${HERE}cases`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  let isShown = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const verdict = verdictOf(line);
    if (verdict === undefined) {
      if (isShown && line.startsWith('        ')) console.log(line);
      continue;
    }
    results[verdict.set].add(verdict.name);
    isShown = verdict.set === 'failed' && !(verdict.name in expected);
    if (isShown) console.log(line);
    showProgress(results);
  }
  return { ...results, exitCode: await ended };
}

/** The case that a line of the runner's is about, and how it went. Lines of a failed case's log say nothing of this kind. */
function verdictOf(line) {
  const [, word, rest] = /^(ok|FAIL) +(.*)$/.exec(line) ?? [];
  if (word === undefined) return undefined;
  const name = rest.replace(word === 'ok' ? / \(\d+ ms\)$/ : / {2}\[[^\]]*\]$/, '');
  return names.has(name) ? { set: word === 'ok' ? 'passed' : 'failed', name } : undefined;
}

function showProgress({ passed: { size: good }, failed: { size: bad } }) {
  const done = good + bad;
  if (done % STRIDE === 0) console.log(`conformance: ${done} of ${names.size} cases run`);
}
