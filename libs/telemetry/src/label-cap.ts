/** What stands for every value beyond the cap. */
export const OTHER = 'other';
/** Characters of a label value; a longer one is cut, so that a client cannot make a scrape large. */
const MAX_LENGTH = 128;

/** Bounds the values of a label that clients choose: the first ones keep their own, later ones share `other`. */
export class LabelCap {
  private readonly admitted = new Set<string>();
  private readonly known: ReadonlySet<string>;

  /** @param known values that are always admitted and do not count */
  constructor(
    private readonly cap: number,
    known: readonly string[] = [],
  ) {
    this.known = new Set(known);
  }

  value(text: string): string {
    if (this.known.has(text) || this.admitted.has(text)) return text;
    const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
    // half a character is written as U+FFFD, whichever half: two values would be one series twice
    const short = cut.toWellFormed();
    if (this.admitted.has(short)) return short;
    if (this.admitted.size >= this.cap) return OTHER;
    this.admitted.add(short);
    return short;
  }
}
