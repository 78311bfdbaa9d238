/** Priorities of requests by the name of their objective (`epp.md` 2). A request whose objective nobody knows has priority 0. */
export class Objectives {
  private readonly given: ReadonlyMap<string, number>;
  private found: ReadonlyMap<string, number> = new Map();

  /** @param given those that stand whatever is found */
  constructor(given: Readonly<Record<string, number>> = {}) {
    this.given = new Map(Object.entries(given));
  }

  /** @param name undefined for a request that names none */
  priorityOf(name: string | undefined): number {
    if (name === undefined) return 0;
    return this.found.get(name) ?? this.given.get(name) ?? 0;
  }

  /** All that are found at the moment. */
  replace(found: ReadonlyMap<string, number>): void {
    this.found = found;
  }
}
