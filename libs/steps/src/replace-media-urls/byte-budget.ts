/** What a request's downloads may still bring, together. */
export class ByteBudget {
  /** @param left bytes; Infinity when there is no limit */
  constructor(private left: number) {}

  /** Whether as much is left; takes nothing. */
  allows(bytes: number): boolean {
    return bytes <= this.left;
  }

  /** Takes bytes as they arrive; false when there were not so many left. */
  take(bytes: number): boolean {
    this.left -= bytes;
    return this.left >= 0;
  }
}
