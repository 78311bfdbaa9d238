/** Milliseconds that a message waits whose tenant has no place, for the first one and at most. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;

interface Tenant {
  running: number;
  /** Messages that were refused and have not come back yet, as far as that is known here. */
  refused: number;
}

/** How many messages of a tenant are on their way here. */
export class TenantPlaces {
  private readonly tenants = new Map<string, Tenant>();

  /** @param limit 0: no limit */
  constructor(private readonly limit: number) {}

  /** @returns what gives the place back, or undefined where there is none */
  take(name: string): (() => void) | undefined {
    if (this.limit === 0) return () => undefined;
    const tenant = this.tenants.get(name) ?? { running: 0, refused: 0 };
    if (tenant.running >= this.limit) return undefined;
    tenant.running++;
    tenant.refused = Math.max(0, tenant.refused - 1);
    this.tenants.set(name, tenant);
    return () => {
      tenant.running--;
      if (tenant.running === 0) this.tenants.delete(name);
    };
  }

  /**
   * Milliseconds until a message that was refused is to come back: the longer, the more of its tenant wait, so that a tenant with
   * a long backlog is not looked through again and again.
   * @param random from 0 to 1
   */
  wait(name: string, random: number): number {
    const tenant = this.tenants.get(name);
    if (tenant === undefined) return FIRST_WAIT;
    tenant.refused++;
    return Math.min(LONGEST_WAIT, FIRST_WAIT * Math.max(1, tenant.refused / this.limit)) * (0.5 + random / 2);
  }
}
