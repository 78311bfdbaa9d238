import { createHash } from 'node:crypto';

/** Length and a short hash, to tell contents apart in a log without showing them: `len=1204 sha=9f2c41aa`. */
export function digest(content: string | Uint8Array): string {
  const sha = createHash('sha256').update(content).digest('hex').slice(0, 8);
  return `len=${content.length} sha=${sha}`;
}
