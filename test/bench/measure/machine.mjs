import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

/** What the figures were taken on. */
export function machine(cores) {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release()}`,
    node: process.version,
    pinned:
      cores.warning ?? `program on core ${cores.program}, upstream on ${cores.upstream}, clients on ${cores.load}`,
  };
}

/** The version measured: of the package, and of the commit where git knows one. */
export function version(root) {
  const { version: number } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const isChanged = git('status', '--porcelain', '--', 'libs', 'apps', 'package-lock.json') !== '';
    return `${number} (${git('rev-parse', '--short', 'HEAD')}${isChanged ? ', with changes' : ''})`;
  } catch {
    return number;
  }
}
