/** Milliseconds that can be planned ahead. */
const SLOTS = 16_384;

/** Runs things at given times, to the millisecond, at a cost that does not grow with their number. */
export class TimingWheel {
  #slots = new Array(SLOTS);
  #count = 0;
  #at = 0;
  #isTicking = false;

  /** @param delay milliseconds, at most 16,000 */
  after(delay, thing) {
    if (this.#count++ === 0) this.#at = now();
    const slot = (Math.max(now() + delay, this.#at + 1) >>> 0) % SLOTS;
    (this.#slots[slot] ??= []).push(thing);
    if (!this.#isTicking) this.#tick();
  }

  #tick = () => {
    this.#isTicking = true;
    for (const end = now(); this.#at < end;) {
      const slot = ++this.#at % SLOTS;
      const due = this.#slots[slot];
      if (due === undefined) continue;
      this.#slots[slot] = undefined;
      this.#count -= due.length;
      for (const thing of due) thing();
    }
    this.#isTicking = this.#count > 0;
    if (this.#isTicking) setTimeout(this.#tick, 1);
  };
}

function now() {
  return Math.floor(performance.now());
}
