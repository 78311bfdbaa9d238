import { randomInt } from 'node:crypto';

const FIRST_SIZE = 16;
/** Unknown to clients, who could else choose prompts whose hashes all want the same place. */
const SECRET = randomInt(2 ** 32);

/**
 * Numbers 64-bit hashes: each one that is put in has an id, a small integer that stays the same until it is taken out and is given to
 * another one then. Typed arrays throughout, so that millions of hashes are nothing to the garbage collector.
 */
export class HashTable {
  /** Halves of the hashes, by id. */
  private low = new Uint32Array(FIRST_SIZE);
  private high = new Uint32Array(FIRST_SIZE);
  /** Ids plus 1 by place, 0 for none; a hash is at the place that `homeOf` names, or behind it without a gap. */
  private places = new Int32Array(FIRST_SIZE * 2);
  private readonly free: number[] = [];
  private next = 0;

  get size(): number {
    return this.next - this.free.length;
  }

  /** The id; -1 for a hash that is not there. */
  find(low: number, high: number): number {
    const mask = this.places.length - 1;
    for (let place = this.homeOf(high); ; place = (place + 1) & mask) {
      const id = (this.places[place] ?? 0) - 1;
      if (id === -1 || (this.low[id] === low && this.high[id] === high)) return id;
    }
  }

  /** Puts a hash in that is not there. */
  add(low: number, high: number): number {
    const id = this.free.pop() ?? this.next++;
    if (id === this.low.length) this.grow();
    this.low[id] = low;
    this.high[id] = high;
    this.occupy(id);
    return id;
  }

  remove(id: number): void {
    const mask = this.places.length - 1;
    let gap = this.placeOf(id);
    for (let place = (gap + 1) & mask; ; place = (place + 1) & mask) {
      const other = (this.places[place] ?? 0) - 1;
      if (other === -1) break;
      const home = this.homeOf(this.high[other] ?? 0);
      // it may go back as far as its own place
      if (((place - home) & mask) < ((place - gap) & mask)) continue;
      this.places[gap] = other + 1;
      gap = place;
    }
    this.places[gap] = 0;
    this.free.push(id);
  }

  /** The upper bits of a product, of which all bits of the factor have a part. */
  private homeOf(high: number): number {
    return Math.imul(high ^ SECRET, 0x9e3779b1) >>> (Math.clz32(this.places.length) + 1);
  }

  private placeOf(id: number): number {
    const mask = this.places.length - 1;
    let place = this.homeOf(this.high[id] ?? 0);
    while (this.places[place] !== id + 1) place = (place + 1) & mask;
    return place;
  }

  private occupy(id: number): void {
    const mask = this.places.length - 1;
    let place = this.homeOf(this.high[id] ?? 0);
    while (this.places[place] !== 0) place = (place + 1) & mask;
    this.places[place] = id + 1;
  }

  /** Only when every id is in use: then all hashes below `next` are in. */
  private grow(): void {
    const size = this.low.length * 2;
    this.low = resized(this.low, size);
    this.high = resized(this.high, size);
    this.places = new Int32Array(size * 2);
    for (let id = 0; id < size / 2; id++) this.occupy(id);
  }
}

function resized(array: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(size);
  larger.set(array);
  return larger;
}
