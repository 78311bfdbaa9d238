// Everything that a change has to pass, in order: `npm test`. A stage that fails does not stop the next one. The last line
// counts tests, and one for each stage that is none.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages, pinnedNode, withNode } from '../test/install/toolchain.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Milliseconds after which a stage has hung. */
const STAGE_LIMIT = 25 * 60_000;
const SCRATCH = mkdtempSync(join(tmpdir(), 'coordinator-ci-'));

/** npm scripts, and how their tests are counted where they run some. */
const STAGES = [
  { script: 'build' },
  { script: 'format:check' },
  { script: 'lint' },
  { script: 'typecheck' },
  { script: 'docs:check' },
  { script: 'test:unit', counts: jestCounts },
  { script: 'test:integration', counts: jestCounts },
  { script: 'test:e2e', counts: jestCounts },
  { script: 'test:conformance', counts: closingLineCounts },
  { script: 'bench:quick' },
];

const total = { passed: 0, failed: 0 };
process.on('exit', () => rmSync(SCRATCH, { recursive: true, force: true }));
const env = prepare();
if (env !== undefined) for (const stage of STAGES) await run(stage, env);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** The environment of every stage; undefined where nothing can run. */
function prepare() {
  const end = begin('install');
  try {
    const what = ensurePackages(ROOT);
    const environment = { ...withNode(pinnedNode(ROOT)), ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }) };
    end(`passed: ${what}`);
    total.passed++;
    return environment;
  } catch (error) {
    end(`failed: ${error.message}`);
    total.failed++;
    return undefined;
  }
}

async function run({ script, counts }, environment) {
  const end = begin(script);
  const report = join(SCRATCH, `${script.replace(':', '-')}.json`);
  const { status, output } = await npmRun(
    script,
    counts === jestCounts ? ['--json', `--outputFile=${report}`] : [],
    environment,
  );
  const counted = counts?.({ report, output }) ?? { passed: status === 0 ? 1 : 0, failed: 0 };
  // a failure without a failed test: the runner broke, or it is no test stage
  if (status !== 0 && counted.failed === 0) counted.failed = 1;
  total.passed += counted.passed;
  total.failed += counted.failed;
  const numbers = counts === undefined ? '' : `, ${counted.passed} tests passed and ${counted.failed} failed`;
  end(`${counted.failed === 0 ? 'passed' : 'FAILED'}${numbers}`);
}

/** Announces a stage; the function returned says how it ended and how long it took. */
function begin(name) {
  const from = performance.now();
  console.log(`\n==> ${name}`);
  return (how) => console.log(`==> ${name} ${how} (${((performance.now() - from) / 1_000).toFixed(1)} s)`);
}

function npmRun(script, args, environment) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', script, ...(args.length === 0 ? [] : ['--', ...args])], {
      cwd: ROOT,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
      // a group of its own, so that ending it ends what it started
      detached: true,
    });
    const kill = () => process.kill(-child.pid, 'SIGKILL');
    const limit = setTimeout(() => {
      console.log(`${script} has not ended after ${STAGE_LIMIT / 60_000} minutes`);
      kill();
    }, STAGE_LIMIT);
    const interrupt = () => {
      kill();
      process.exit(130);
    };
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt);
    const output = [];
    child.stdout.on('data', (chunk) => {
      output.push(chunk);
      process.stdout.write(chunk);
    });
    child.on('error', (error) => console.log(error.message));
    child.on('close', (status) => {
      clearTimeout(limit);
      for (const signal of ['SIGINT', 'SIGTERM']) process.removeListener(signal, interrupt);
      resolve({ status, output: Buffer.concat(output).toString() });
    });
  });
}

/** A suite that could not run counts as one failed test. */
function jestCounts({ report }) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

function closingLineCounts({ output }) {
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  return passed === undefined ? { passed: 0, failed: 1 } : { passed: Number(passed), failed: Number(failed) };
}
