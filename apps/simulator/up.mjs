// Starts everything on one machine: `npm run up`. Plain JavaScript for any Node from 20 on: it finds, or installs, the Node that the rest needs.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages, modified, pinnedNode, withNode } from '../../test/install/toolchain.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = join(ROOT, 'dist/apps/simulator/stack/main.js');
/** What is started besides. */
const APPS = ['coordinator', 'epp', 'sidecar', 'async-worker'].map((app) => join(ROOT, `dist/apps/${app}/main.js`));
/** Touched after a build that went well; what is newer than it has not been built. */
const STAMP = join(ROOT, 'dist/.up-stamp');

const node = installed();
buildIfNeeded(node);
if (process.argv.includes('--prometheus')) await installPrometheus();
start(node, [
  ...(process.argv.includes('--envoy') ? await envoyArguments() : []),
  ...(process.argv.includes('--async') ? await redisArguments() : []),
]);

/** The Node to go on with, once all packages are there. */
function installed() {
  try {
    ensurePackages(ROOT, say);
    return pinnedNode(ROOT);
  } catch (error) {
    fail(error.message);
  }
}

function buildIfNeeded(nodePath) {
  const built = modified(STAMP);
  if (built !== undefined && [MAIN, ...APPS].every((file) => existsSync(file)) && built >= newestSource()) return;
  say('Building (npm run build) ...');
  const began = new Date();
  const { status, error } = spawnSync('npm', ['run', '--silent', 'build'], {
    ...{ cwd: ROOT, stdio: 'inherit' },
    env: withNode(nodePath),
  });
  if (status !== 0) fail(`the build failed${error === undefined ? '' : `: ${error.message}`}`);
  writeFileSync(STAMP, `${began.toISOString()}\n`);
}

/** Only root on Debian can; elsewhere it has to be there. */
async function installPrometheus() {
  const { ensurePrometheus } = await import('../../test/install/prometheus.mjs');
  if ((await ensurePrometheus()) === undefined) fail('Without --prometheus everything else starts.');
}

/** Where Envoy is, unless the command line says so. */
async function envoyArguments() {
  if (process.argv.some((argument) => argument.startsWith('--envoy-program'))) return [];
  const { ensureEnvoy } = await import('../../test/install/envoy.mjs');
  const program = await ensureEnvoy();
  if (program === undefined)
    fail('--envoy: --envoy-program FILE names an Envoy that lies elsewhere. Without --envoy everything starts.');
  return [`--envoy-program=${program}`];
}

/** Where Redis is, unless the command line says so; where it is not, only root on Debian can install it. */
async function redisArguments() {
  if (process.argv.some((argument) => argument.startsWith('--redis-program'))) return [];
  const { ensureRedis } = await import('../../test/install/redis.mjs');
  const program = await ensureRedis();
  if (program === undefined)
    fail('--async: --redis-program FILE names a redis-server that lies elsewhere. Without --async everything starts.');
  return [`--redis-program=${program}`];
}

function start(nodePath, added) {
  const child = spawn(nodePath, [MAIN, ...process.argv.slice(2), ...added], {
    cwd: ROOT,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  // A terminal sends Ctrl-C to the child as well; a second one is nothing new to it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A shell in between may end without passing anything on.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 500);
  child.on('error', (error) => fail(`${nodePath} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}

function newestSource() {
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'].map(
    (name) => modified(join(ROOT, name)) ?? 0,
  );
  return Math.max(...files, newestIn(join(ROOT, 'apps')), newestIn(join(ROOT, 'libs')));
}

function newestIn(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const time = entry.isDirectory() ? newestIn(path) : /\.(ts|json)$/.test(entry.name) ? (modified(path) ?? 0) : 0;
    newest = Math.max(newest, time);
  }
  return newest;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
