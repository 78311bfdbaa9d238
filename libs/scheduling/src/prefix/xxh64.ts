import xxhash from 'xxhash-wasm';
import type { Steps } from '../parsing/paced.ts';

const xxh = await xxhash();

/** Bytes hashed between two places to rest; whatever is longer would also stay in the hash's memory. */
const PIECE = 256 * 1024;

/** XXH64 with seed 0 of bytes that are few. */
export function hashBytes(bytes: Uint8Array): bigint {
  return xxh.h64Raw(bytes);
}

/** XXH64 with seed 0 of the text's UTF-8. */
export function hashText(text: string): bigint {
  return xxh.h64(text);
}

/** XXH64 with seed 0 of bytes that may be many. */
export function* hashLong(bytes: Uint8Array): Steps<bigint> {
  if (bytes.length <= PIECE) return xxh.h64Raw(bytes);
  const hash = xxh.create64();
  for (let start = 0; start < bytes.length; start += PIECE) {
    hash.update(bytes.subarray(start, start + PIECE));
    yield;
  }
  return hash.digest();
}
