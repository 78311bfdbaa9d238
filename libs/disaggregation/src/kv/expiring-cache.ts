/** Values that are good for a while. At its size the one that was set first gives way. */
export class ExpiringCache<Value> {
  private readonly entries = new Map<string, { readonly value: Value; readonly until: number }>();

  constructor(
    private readonly size: number,
    /** Milliseconds. */
    private readonly lifetime: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined || entry.until > this.now()) return entry?.value;
    this.entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value): void {
    this.entries.delete(key);
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size >= this.size) this.entries.delete(oldest);
    this.entries.set(key, { value, until: this.now() + this.lifetime });
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}
