import { hash } from 'node:crypto';
import type { PlacedItem, RenderedPrompt } from '../render/rendered-prompt.ts';

/** Tokens of one block; only whole blocks are cached. */
export const BLOCK_TOKENS = 16;

/**
 * Which prompt prefixes a worker holds. A block's key covers all tokens before it and the hashes of the media it touches, so that two
 * images with the same placeholders differ. Beyond `capacity` blocks the least recently used go, ends of prompts before their beginnings.
 */
export class PrefixCache {
  private readonly blocks = new Set<string>();

  constructor(private readonly capacity = 65_536) {}

  get size(): number {
    return this.blocks.size;
  }

  /** Tokens at the front of the prompt that need no computing, a multiple of 16. Marks them as used. */
  cachedTokens(prompt: RenderedPrompt): number {
    const keys = blockKeys(prompt);
    const missing = keys.findIndex((key) => !this.blocks.has(key));
    const found = missing < 0 ? keys : keys.slice(0, missing);
    this.touch(found);
    return found.length * BLOCK_TOKENS;
  }

  add(prompt: RenderedPrompt): void {
    this.touch(blockKeys(prompt));
    for (const oldest of this.blocks) {
      if (this.blocks.size <= this.capacity) break;
      this.blocks.delete(oldest);
    }
  }

  clear(): void {
    this.blocks.clear();
  }

  /** A set keeps its order of insertion: from the least to the most recently used. */
  private touch(keys: readonly string[]): void {
    for (const key of keys.toReversed()) {
      this.blocks.delete(key);
      this.blocks.add(key);
    }
  }
}

function blockKeys({ tokenIds, items }: RenderedPrompt): string[] {
  const keys: string[] = [];
  let before = '';
  for (let start = 0; start + BLOCK_TOKENS <= tokenIds.length; start += BLOCK_TOKENS) {
    const ids = tokenIds.slice(start, start + BLOCK_TOKENS).join(',');
    before = hash('sha1', `${before}|${ids}|${mediaIn(items, start)}`, 'base64');
    keys.push(before);
  }
  return keys;
}

function mediaIn(items: readonly PlacedItem[], start: number): string {
  return items
    .filter(({ offset, length }) => offset < start + BLOCK_TOKENS && offset + length > start)
    .map((item) => `${item.hash}@${item.offset - start}`)
    .join(',');
}
