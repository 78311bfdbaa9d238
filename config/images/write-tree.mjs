import { copyFileSync, chmodSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes a plan into a folder. Nothing of it tells who wrote it where and when: modes are those of a file that everybody reads and
 * nobody writes but root, and all times are the same.
 * @param epoch seconds since 1970
 * @throws Error for a path that is planned twice
 */
export function writeTree(folder, plan, epoch) {
  mkdirSync(folder, { recursive: true });
  const written = new Set();
  for (const { path, from, text } of [...plan].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    if (written.has(path)) throw new Error(`${path} is planned twice`);
    written.add(path);
    const to = join(folder, path);
    mkdirSync(dirname(to), { recursive: true });
    if (from === undefined) writeFileSync(to, text);
    else copyFileSync(from, to);
    chmodSync(to, isProgram(path) ? 0o755 : 0o644);
  }
  settle(folder, epoch);
}

/** Packages' own executables are for a shell, which is not there. */
function isProgram(path) {
  return /^(usr\/local\/bin\/|(usr\/)?lib(64)?\/)/.test(path);
}

/** Folders after what is in them, for that changes their times. */
function settle(path, epoch) {
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path)) settle(join(path, name), epoch);
    chmodSync(path, 0o755);
  }
  utimesSync(path, epoch, epoch);
}
