const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** A number from 0 to below 1 that is always the same for a request: FNV-1a of its id, 32 bits. */
export function sampleOf(requestId: string): number {
  let hash = OFFSET;
  for (const byte of Buffer.from(requestId)) hash = Math.imul(hash ^ byte, PRIME);
  return (hash >>> 0) / 2 ** 32;
}
