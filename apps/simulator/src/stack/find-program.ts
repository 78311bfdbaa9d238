import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { environment } from '#config';

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
