import { HashTable } from './hash-table.ts';

const FIRST_SIZE = 16;
const NONE = -1;

/** The blocks that an endpoint is taken to hold, as a list from the longest unused one to the latest. */
export class RecentBlocks {
  /** Its ids are the places of the list. */
  private readonly table = new HashTable();
  private blocks = new Uint32Array(FIRST_SIZE);
  private previous = new Int32Array(FIRST_SIZE);
  private next = new Int32Array(FIRST_SIZE);
  private oldest = NONE;
  private latest = NONE;

  /** @param capacity blocks that it holds, 1 or more */
  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.table.size;
  }

  /** Makes the block the latest one. @param block a number below 2^32 @returns whether it is a new one */
  touch(block: number): boolean {
    const high = spread(block);
    const known = this.table.find(block, high);
    if (known === NONE) {
      this.append(this.added(block, high));
      return true;
    }
    if (known !== this.latest) {
      this.unlink(known);
      this.append(known);
    }
    return false;
  }

  /** Takes out the oldest block where there are too many. */
  evicted(): number | undefined {
    return this.size > this.capacity ? this.takeOldest() : undefined;
  }

  /** Takes out the oldest block; undefined when there is none. */
  takeOldest(): number | undefined {
    const place = this.oldest;
    if (place === NONE) return undefined;
    this.unlink(place);
    this.table.remove(place);
    return this.blocks[place];
  }

  private added(block: number, high: number): number {
    const place = this.table.add(block, high);
    if (place === this.next.length) this.grow();
    this.blocks[place] = block;
    return place;
  }

  private append(place: number): void {
    this.previous[place] = this.latest;
    this.next[place] = NONE;
    if (this.latest === NONE) this.oldest = place;
    else this.next[this.latest] = place;
    this.latest = place;
  }

  private unlink(place: number): void {
    const before = this.previous[place] ?? NONE;
    const behind = this.next[place] ?? NONE;
    if (before === NONE) this.oldest = behind;
    else this.next[before] = behind;
    if (behind === NONE) this.latest = before;
    else this.previous[behind] = before;
  }

  private grow(): void {
    const size = this.next.length * 2;
    const { blocks, previous, next } = this;
    this.blocks = new Uint32Array(size);
    this.previous = new Int32Array(size);
    this.next = new Int32Array(size);
    this.blocks.set(blocks);
    this.previous.set(previous);
    this.next.set(next);
  }
}

/** Upper half of a key for the table, of which the lower half is the block's number. */
function spread(block: number): number {
  const mixed = Math.imul(block, 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
