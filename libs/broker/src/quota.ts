import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { BROKER_CONFIG, DEFAULT_WINDOW } from './broker.config.ts';
import type { BrokerConfig } from './broker.config.ts';
import { BrokerError } from './broker.error.ts';
import { BrokerKeys } from './broker-keys.ts';
import type { QuotaOutcome } from './broker.observer.ts';
import { RedisConnection } from './redis.connection.ts';
import { ACQUIRE, RELEASE } from './scripts.ts';

/** How a request stands to its tenant's quota. */
export interface QuotaPlace {
  readonly outcome: QuotaOutcome;
  /** Gives the place back; never rejects, does nothing where none was taken. */
  readonly release: () => Promise<void>;
}

const UNCOUNTED = (): Promise<void> => Promise.resolve();

/** The places that are reserved for tenants, counted at Redis together with the async processor's (`coordinator.md` C.9). */
@Injectable()
export class Quota implements OnModuleInit {
  /** Places that could not be given back, by tenant: while Redis is away nothing expires them, for traffic keeps a counter alive. */
  private readonly owed = new Map<string, number>();

  constructor(
    private readonly redis: RedisConnection,
    private readonly keys: BrokerKeys,
    @Inject(BROKER_CONFIG) private readonly config: BrokerConfig,
  ) {}

  onModuleInit(): void {
    this.redis.onBack(() => void this.giveBackOwed());
  }

  /** Takes a place where there is one. Never rejects: where Redis cannot tell, the request counts as reserved. */
  async acquire(tenant: string): Promise<QuotaPlace> {
    const { limits } = this.config.quota;
    const limit = Object.hasOwn(limits, tenant) ? (limits[tenant] ?? 0) : 0;
    if (limit <= 0) return { outcome: 'reserved', release: UNCOUNTED };
    try {
      const reply = await this.redis.script(ACQUIRE, [this.keys.quota(tenant)], [String(limit), this.window]);
      if (reply !== 1) return { outcome: 'overflow', release: UNCOUNTED };
    } catch (error) {
      if (error instanceof BrokerError) return { outcome: 'unknown', release: UNCOUNTED };
      throw error;
    }
    return { outcome: 'reserved', release: () => this.release(tenant) };
  }

  /** Seconds. */
  private get window(): string {
    const { window_seconds: window } = this.config.quota;
    return String(window === 0 ? DEFAULT_WINDOW : window);
  }

  private async release(tenant: string): Promise<void> {
    try {
      await this.redis.script(RELEASE, [this.keys.quota(tenant)], [this.window]);
    } catch (error) {
      // what was sent may have been done, and giving back twice would let one too many in
      if (error instanceof BrokerError && error.failure !== 'offline') return;
      this.owed.set(tenant, (this.owed.get(tenant) ?? 0) + 1);
    }
  }

  private async giveBackOwed(): Promise<void> {
    for (const [tenant, count] of [...this.owed]) {
      this.owed.delete(tenant);
      for (let left = count; left > 0; left--) await this.release(tenant);
    }
  }
}
