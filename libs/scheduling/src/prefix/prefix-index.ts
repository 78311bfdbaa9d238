import { pacedLater } from '../parsing/paced.ts';
import type { Steps } from '../parsing/paced.ts';
import { PrefixShard } from './prefix-shard.ts';
import { RecentBlocks } from './recent-blocks.ts';

/** Parts that grow by themselves, so that none takes long to. A power of 2. */
const SHARDS = 256;
/** Hashes walked between two places to rest. */
const RUN = 64;

interface Held {
  readonly slot: number;
  readonly blocks: RecentBlocks;
  isGone: boolean;
}

/** Which endpoints hold which blocks, as far as is known from what was sent there. Bounded by what the endpoints hold together. */
export class PrefixIndex {
  private readonly shards = Array.from({ length: SHARDS }, () => new PrefixShard());
  private readonly endpoints = new Map<string, Held>();
  private readonly freeSlots: number[] = [];
  private slots = 0;
  private readonly departed: Held[] = [];
  private isSweeping = false;

  /** Blocks that are known, each once, however many endpoints hold it. */
  get size(): number {
    return this.shards.reduce((sum, shard) => sum + shard.size, 0);
  }

  /** Blocks that an endpoint is taken to hold. */
  held(endpoint: string): number {
    return this.endpoints.get(endpoint)?.blocks.size ?? 0;
  }

  /**
   * How many blocks of the chains each endpoint holds. A chain is followed to the first block that nobody holds; what an endpoint lacks
   * in between does not end it.
   */
  *lookup(chains: readonly BigUint64Array[]): Steps<(endpoint: string) => number> {
    const counts = new Uint32Array(this.slots);
    for (const chain of chains) yield* this.follow(chain, counts);
    return (endpoint) => counts[this.endpoints.get(endpoint)?.slot ?? counts.length] ?? 0;
  }

  /**
   * The endpoint holds the blocks of the chains from here on, and forgets others for them where it holds too many.
   * @param capacity blocks that it holds, 1 or more; counts when it is first seen
   */
  *record(endpoint: string, chains: readonly BigUint64Array[], capacity: number): Steps<void> {
    const held = this.heldBy(endpoint, capacity);
    for (const chain of chains) {
      const halves = halvesOf(chain);
      for (let at = 0; at < halves.length && !held.isGone; at += 2) {
        this.put(held, halves[at] ?? 0, halves[at + 1] ?? 0);
        if (at % (RUN * 2) === 0) yield;
      }
    }
  }

  /** The endpoint is gone with all that it held. That is cleared away later: many may go at once. */
  remove(endpoint: string): void {
    const held = this.endpoints.get(endpoint);
    if (held === undefined) return;
    held.isGone = true;
    this.endpoints.delete(endpoint);
    this.departed.push(held);
    if (this.isSweeping) return;
    this.isSweeping = true;
    void pacedLater(this.sweep());
  }

  private *follow(chain: BigUint64Array, counts: Uint32Array): Steps<void> {
    const halves = halvesOf(chain);
    for (let at = 0; at < halves.length; at += 2) {
      const low = halves[at] ?? 0;
      const shard = this.shardOf(low);
      const id = shard.find(low, halves[at + 1] ?? 0);
      if (id === -1) return;
      shard.count(id, counts);
      if (at % (RUN * 2) === 0) yield;
    }
  }

  private put({ slot, blocks }: Held, low: number, high: number): void {
    const shard = this.shardOf(low);
    const known = shard.find(low, high);
    const id = known === -1 ? shard.add(low, high, slot) : known;
    const isNew = blocks.touch(id * SHARDS + (low % SHARDS));
    if (isNew && known !== -1) shard.share(id, slot);
    const evicted = blocks.evicted();
    if (evicted !== undefined) this.drop(evicted, slot);
  }

  private drop(block: number, slot: number): void {
    this.shardOf(block).drop(Math.floor(block / SHARDS), slot);
  }

  private shardOf(low: number): PrefixShard {
    // there are as many as it can be
    return this.shards[low % SHARDS] as PrefixShard;
  }

  private heldBy(endpoint: string, capacity: number): Held {
    const known = this.endpoints.get(endpoint);
    if (known !== undefined) return known;
    const slot = this.freeSlots.pop() ?? this.slots++;
    const held = { slot, blocks: new RecentBlocks(capacity), isGone: false };
    this.endpoints.set(endpoint, held);
    return held;
  }

  /** A slot is free when nothing is held by it any more: until then its holder only has no name. */
  private *sweep(): Steps<void> {
    for (let held = this.departed.pop(); held !== undefined; held = this.departed.pop()) {
      let cleared = 0;
      for (let block = held.blocks.takeOldest(); block !== undefined; block = held.blocks.takeOldest()) {
        this.drop(block, held.slot);
        if (++cleared % RUN === 0) yield;
      }
      this.freeSlots.push(held.slot);
    }
    this.isSweeping = false;
  }
}

/** Lower and upper half of each hash in turn. */
function halvesOf(chain: BigUint64Array): Uint32Array {
  return new Uint32Array(chain.buffer, chain.byteOffset, chain.length * 2);
}
