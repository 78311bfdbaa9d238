import type { TestRedis } from '../../integration/redis.fixture.ts';

/** Looks into mailboxes, and remembers what was there first. */
export class ChaosWitness {
  private readonly first = new Map<string, string>();
  /** Mailboxes that had several results, or another one than before, or none any more. */
  readonly contradictions: string[] = [];

  constructor(
    private readonly redis: TestRedis,
    private readonly mailboxes: readonly string[],
  ) {}

  /** How many have a result. */
  get seen(): number {
    return this.first.size;
  }

  /** Looks at all; a Redis that is away shows nothing. */
  async look(): Promise<void> {
    const found = await Promise.all(this.mailboxes.map((mailbox) => this.redis.lRange(mailbox, 0, -1))).catch(
      () => undefined,
    );
    for (const [place, results] of (found ?? []).entries()) this.see(this.mailboxes[place] ?? '', results);
  }

  /** The results, in the order of the mailboxes; undefined where there is none. */
  get results(): readonly (string | undefined)[] {
    return this.mailboxes.map((mailbox) => this.first.get(mailbox));
  }

  private see(mailbox: string, results: readonly string[]): void {
    const known = this.first.get(mailbox);
    const [only] = results;
    if (results.length > 1 || (known !== undefined && only !== known)) this.contradictions.push(mailbox);
    if (known === undefined && only !== undefined) this.first.set(mailbox, only);
  }
}
