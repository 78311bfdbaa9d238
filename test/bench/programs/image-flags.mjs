import { readFileSync } from 'node:fs';

/** Node's own flags: what stands between `node` and the program in the image's entry point. */
export function imageFlags() {
  const file = new URL('../../../Dockerfile', import.meta.url);
  const entry = /^ENTRYPOINT (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '[]';
  return JSON.parse(entry).filter((word) => word.startsWith('--'));
}
