/** Milliseconds to the first event, at most. */
const LATEST = 50;

/**
 * Writes one prebuilt stream to a socket: the head at once, then an event each `gap` milliseconds, or as fast as the socket
 * takes them if that is 0. An event is one write, and waits while the socket does not drain.
 */
export class EventStream {
  #next = 0;

  /** @param counts what was sent is added to it: `events`, `eventBytes` */
  constructor(socket, { head, events, end, gap }, wheel, counts) {
    Object.assign(this, { socket, events, end, gap, wheel, counts });
    socket.write(head);
    if (gap === 0) this.#flood();
    // streams that began together do not stay in step
    else wheel.after(Math.ceil(Math.random() * Math.min(gap, LATEST)), this.#step);
  }

  #step = () => {
    const { socket } = this;
    if (socket.destroyed) return;
    if (socket.writableNeedDrain) return void socket.once('drain', this.#step);
    if (this.#writeNext()) this.wheel.after(this.gap, this.#step);
  };

  #flood = () => {
    const { socket } = this;
    while (!socket.destroyed && this.#writeNext()) {
      if (socket.writableNeedDrain) return void socket.once('drain', this.#flood);
    }
  };

  /** @returns whether there is more */
  #writeNext() {
    const { events, end, counts } = this;
    const isLast = this.#next === events.length;
    const bytes = isLast ? end : events[this.#next++];
    this.socket.write(bytes);
    counts.events++;
    counts.eventBytes += bytes.length;
    return !isLast;
  }
}
