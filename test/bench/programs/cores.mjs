import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * Which cores things run on: the program under test on the first, what drives it on the others. Without `taskset`, or with one
 * core only, nothing is pinned and `warning` says so.
 */
export function placement() {
  const count = availableParallelism();
  const hasTaskset = spawnSync('taskset', ['-c', '0', 'true']).status === 0;
  if (!hasTaskset) return unpinned('taskset is not here (util-linux has it): nothing is pinned');
  if (count < 2) return unpinned('there is one core only: nothing is pinned, and ratios mean little');
  return {
    program: '0',
    // one each, where there are enough: upstream and clients
    upstream: '1',
    load: count > 2 ? '2' : '1',
    all: `0-${count - 1}`,
    warning: undefined,
  };
}

/** The command that runs `command` on `cores`. */
export function pinned(cores, command) {
  return cores === undefined ? command : ['taskset', '-c', cores, ...command];
}

function unpinned(warning) {
  return { program: undefined, upstream: undefined, load: undefined, all: undefined, warning };
}
