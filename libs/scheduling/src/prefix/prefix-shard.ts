import { HashTable } from './hash-table.ts';

/** Held by several slots, which are listed. */
const MANY = -1;

/** A part of the index: which slots hold a hash. */
export class PrefixShard {
  private readonly table = new HashTable();
  /** By id, the only slot that holds the hash, or `MANY`. */
  private readonly holder: number[] = [];
  private readonly holders = new Map<number, number[]>();

  get size(): number {
    return this.table.size;
  }

  /** The hash's id; -1 for one that no slot holds. */
  find(low: number, high: number): number {
    return this.table.find(low, high);
  }

  /** Counts the holders of a hash: 1 more at each one's place. */
  count(id: number, counts: Uint32Array): void {
    const slot = this.holder[id] ?? MANY;
    if (slot !== MANY) {
      counts[slot] = (counts[slot] ?? 0) + 1;
      return;
    }
    for (const each of this.holders.get(id) ?? []) counts[each] = (counts[each] ?? 0) + 1;
  }

  /** A hash that no slot held. @returns its id */
  add(low: number, high: number, slot: number): number {
    const id = this.table.add(low, high);
    this.holder[id] = slot;
    return id;
  }

  /** One more slot, which did not hold the hash. */
  share(id: number, slot: number): void {
    const first = this.holder[id] ?? MANY;
    if (first === MANY) {
      this.holders.get(id)?.push(slot);
      return;
    }
    this.holder[id] = MANY;
    this.holders.set(id, [first, slot]);
  }

  /** A slot that holds the hash does not any more; with its last holder it is gone. */
  drop(id: number, slot: number): void {
    const list = this.holders.get(id);
    if (list === undefined) return this.table.remove(id);
    const last = list.pop() ?? slot;
    if (last !== slot) list[list.indexOf(slot)] = last;
    if (list.length > 1) return;
    this.holder[id] = list[0] ?? MANY;
    this.holders.delete(id);
  }
}
