import { parseFlags } from '#config';
import type { Environment } from '#config';
import { readOptions } from './read-options.ts';
import { sidecarFlags } from './sidecar.flags.ts';
import type { SidecarOptions } from './sidecar.options.ts';

/** Options of a command line, in an environment that has nothing else. */
export function optionsOf(argv: readonly string[], env: Environment = {}): SidecarOptions {
  return readOptions(parseFlags(sidecarFlags, argv), env);
}
