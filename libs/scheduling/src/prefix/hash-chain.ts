import type { Steps } from '../parsing/paced.ts';
import { hashBytes, hashText } from './xxh64.ts';

/** What a chain begins with: prompts for different models, or with different salts, have no block in common. */
export function chainSeed(model: string, salt: string): bigint {
  return hashText(model + salt);
}

/** How a prompt is cut. */
export interface ChainLimits {
  /** Tokens of a block, 1 or more. */
  readonly blockSize: number;
  /** Blocks that are looked at; the rest of the prompt is not. */
  readonly maxBlocks: number;
}

/** Blocks hashed between two places to rest. */
const RUN = 64;

/**
 * The hash of each block of a prompt, each over its own tokens and the hash before it, so that equal hashes mean equal prompts up to
 * there. The last block may be a part of one (`epp.md` 5.3).
 */
export function* hashChain(
  ids: Uint32Array,
  seed: bigint,
  { blockSize, maxBlocks }: ChainLimits,
): Steps<BigUint64Array> {
  const blocks = Math.min(Math.ceil(ids.length / blockSize), maxBlocks);
  const chain = new BigUint64Array(blocks);
  const bytes = new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength);
  const link = new BigUint64Array([0n, seed]);
  const linkBytes = new Uint8Array(link.buffer);
  for (let block = 0; block < blocks; block++) {
    link[0] = hashBytes(bytes.subarray(block * blockSize * 4, (block + 1) * blockSize * 4));
    const hash = hashBytes(linkBytes);
    chain[block] = hash;
    link[1] = hash;
    if (block % RUN === RUN - 1) yield;
  }
  return chain;
}
