import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { environment } from '#config';

const VERSION_WITHIN_MS = 10_000;

/** Where a program lies; undefined when it is not on the PATH. */
export function findProgram(name: string, path = environment()['PATH'] ?? ''): string | undefined {
  const candidates = path.split(delimiter).flatMap((folder) => (folder === '' ? [] : [join(folder, name)]));
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A program that somebody else has built. */
export interface FoundProgram {
  readonly program: string;
  readonly version: string;
}

/** A program that a flag asks for. */
export interface WantedProgram {
  /** As messages call it: `Envoy`. */
  readonly title: string;
  /** `--envoy`. */
  readonly flag: string;
  /** Names a file that is to be taken: `--envoy-program`. */
  readonly option: string;
  /** On the PATH. */
  readonly name: string;
  /** Its first group is the version in what the program says to `--version`. */
  readonly version: RegExp;
}

/** @param named by the command line; undefined: the one on the PATH. @throws Error where there is none, or it cannot be run */
export function findVersioned(wanted: WantedProgram, named: string | undefined): FoundProgram {
  const { title, flag, option, name, version } = wanted;
  const program = named ?? findProgram(name);
  if (program === undefined)
    throw new Error(`${flag}: there is no ${name} on the PATH; ${option} FILE names one that lies elsewhere`);
  const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: VERSION_WITHIN_MS });
  const said = version.exec(error === undefined ? stdout : '')?.[1];
  if (said === undefined) throw new Error(`${program} is no ${title} that runs here; ${option} FILE names another one`);
  return { program, version: said };
}
