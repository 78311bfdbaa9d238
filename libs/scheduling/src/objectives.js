/** Priorities of requests by the name of their objective (`epp.md` 2). A request whose objective nobody knows has priority 0. */
export class Objectives {
  given;
  found = new Map();
  /** @param given those that stand whatever is found */
  constructor(given = {}) {
    this.given = new Map(Object.entries(given));
  }
  /** @param name undefined for a request that names none */
  priorityOf(name) {
    if (name === undefined) return 0;
    return this.found.get(name) ?? this.given.get(name) ?? 0;
  }
  /** All that are found at the moment. */
  replace(found) {
    this.found = found;
  }
}
//# sourceMappingURL=objectives.js.map
