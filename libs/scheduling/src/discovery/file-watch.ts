import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls back whenever the file behind a path has become another one and stays so for one interval, until the signal ends it. It looks at
 * the file instead of asking to be told: edits, renames and swapped links (as ConfigMaps have them) look the same that way, and some
 * volumes do not tell. A file that is not there at the moment is waited for.
 * @param seen the signature of what is known already
 */
export async function watchFile(
  path: string,
  { interval, seen, signal }: { readonly interval: number; readonly seen: string; readonly signal: AbortSignal },
  changed: () => Promise<void>,
): Promise<void> {
  let known = seen;
  let last = seen;
  while (await hasPassed(interval, signal)) {
    const current = await fileSignature(path);
    // a file that is being written to changes from one look to the next
    if (current !== MISSING && current !== known && current === last) {
      known = current;
      await changed();
    }
    last = current;
  }
}

/** @returns false when the signal ends the wait */
function hasPassed(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return delay(milliseconds, true, { ref: false, signal }).catch(() => false);
}

/** Differs whenever a file was written to or replaced; links are followed. */
export async function fileSignature(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch {
    return MISSING;
  }
}

const MISSING = '';
