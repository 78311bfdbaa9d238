import { spawn } from 'node:child_process';
import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ATTEMPTS = 3;
const PAUSE_MS = 5000;
/** Exit code of a script that could not provide its program. */
const NOT_AVAILABLE = 3;
/** Keeps apt from asking, and a package from starting its service. */
const QUIET = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };

/**
 * The path of `program`. Where it is not on the PATH, root installs `packageName` with apt-get.
 * Undefined where that is impossible, and then `print` has said why.
 *
 * @param {{ program: string, packageName: string }} wanted
 * @param {(line: string) => void} print
 * @returns {Promise<string | undefined>}
 */
export async function ensureProgram({ program, packageName }, print = console.log) {
  const present = onPath(program);
  if (present !== undefined) return present;
  const obstacle = obstacleToInstalling();
  if (obstacle !== undefined) return refuse(print, program, obstacle);
  print(`${program} is not on the PATH: installing the Debian package ${packageName}, once for this machine ...`);
  // another process may hold apt's locks, for the same package even
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    await apt('update');
    const code = await apt('install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300', packageName);
    const installed = onPath(program);
    if (code === 0 && installed !== undefined) return installed;
    if (attempt < ATTEMPTS) await sleep(PAUSE_MS);
  }
  return refuse(print, program, `apt-get install ${packageName} failed`);
}

/**
 * Makes an install module runnable: prints the version of what `ensure` provides, or exits 3.
 *
 * @param {string} moduleUrl `import.meta.url` of the module
 * @param {() => Promise<string | undefined>} ensure
 * @param {string[]} args with which the program says its version
 */
export async function runAsScript(moduleUrl, ensure, args = ['--version']) {
  if (!isMain(moduleUrl)) return;
  const path = await ensure();
  if (path === undefined) process.exitCode = NOT_AVAILABLE;
  else process.exitCode = await run(path, args, 'inherit');
}

function isMain(moduleUrl) {
  const script = process.argv[1];
  return script !== undefined && realpathSync(script) === realpathSync(fileURLToPath(moduleUrl));
}

/** Where the PATH has the program. */
export function onPath(program) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function obstacleToInstalling() {
  if (onPath('apt-get') === undefined) return 'there is no apt-get here';
  return process.getuid?.() === 0 ? undefined : 'apt-get needs root';
}

/** Says why a program cannot be had. */
export function refuse(print, program, reason) {
  print(`NOT AVAILABLE: ${program} is not on the PATH and cannot be installed here: ${reason}. Install it by hand.`);
  return undefined;
}

function apt(...args) {
  return run('apt-get', ['-qq', ...args], 'ignore');
}

/** The exit code; 1 where the program did not run or was killed. What it says on stderr is shown. */
function run(program, args, stdout) {
  const child = spawn(program, args, { env: { ...process.env, ...QUIET }, stdio: ['ignore', stdout, 'inherit'] });
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}
