// The packages and the Node that everything else needs. Plain JavaScript for any Node from 20 on.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Jest with an ESM-only Nest needs it. */
const NEEDED = [24, 9];

/**
 * Runs `npm ci` where nothing is installed, or the lockfile is newer than what is.
 * @param say told, before that begins, why it does
 * @throws Error when it fails
 */
export function ensurePackages(root, say = () => undefined) {
  const lock = modified(join(root, 'package-lock.json'));
  const installed = modified(join(root, 'node_modules/.package-lock.json'));
  if (installed !== undefined && (lock === undefined || installed >= lock)) return 'node_modules is up to date';
  const why = installed === undefined ? 'Installing' : 'package-lock.json has changed: installing';
  say(`${why} packages (npm ci) ...`);
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm ci failed: ${error?.message ?? `it ended with status ${status ?? 'none'}`}`);
  return 'npm ci';
}

/**
 * The Node that came with the packages, else the one that runs this, where it is new enough.
 * @throws Error that says what to install
 */
export function pinnedNode(root) {
  const pinned = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(pinned)) return pinned;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return process.execPath;
  throw new Error(
    `Node ${NEEDED.join('.')} or later is needed, this is ${process.version}, and no Node was installed with the packages ` +
      `(looked for ${pinned}). Install Node 24, or run "npm ci" without --omit=optional.`,
  );
}

/** The environment in which `node` is the one given. */
export function withNode(node) {
  return { ...process.env, PATH: dirname(node) + delimiter + process.env.PATH };
}

/** Milliseconds since 1970; undefined where there is no such file. */
export function modified(path) {
  return existsSync(path) ? statSync(path).mtimeMs : undefined;
}
