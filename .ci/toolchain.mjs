// The packages and the Node that everything else needs. Plain JavaScript for any Node from 20 on.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Jest with an ESM-only Nest needs it. */
const NEEDED = [24, 9];

/** Runs `npm ci` where nothing is installed, or the lockfile is newer than what is. @throws Error when that fails */
export function ensurePackages(root) {
  const lock = modified(join(root, 'package-lock.json'));
  const installed = modified(join(root, 'node_modules/.package-lock.json'));
  if (installed !== undefined && (lock === undefined || installed >= lock)) return 'node_modules is up to date';
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm ci ended with status ${status ?? 'none'}`);
  return 'npm ci';
}

/**
 * The environment in which `node` is the pinned one, which came with the packages; else the system's, where it is new enough.
 * @throws Error that says what to install
 */
export function withPinnedNode(root) {
  const folder = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
  if (existsSync(join(folder, 'node'))) return { ...process.env, PATH: folder + delimiter + process.env.PATH };
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return process.env;
  throw new Error(
    `Node ${NEEDED.join('.')} or later is needed, this is ${process.version}, and ${folder} has none: ` +
      'install Node 24, or run "npm ci" without --omit=optional',
  );
}

function modified(path) {
  return existsSync(path) ? statSync(path).mtimeMs : undefined;
}
