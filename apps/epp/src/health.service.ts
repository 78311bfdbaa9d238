import { Injectable } from '@nestjs/common';
import type { UntypedServiceImplementation, sendUnaryData } from '@grpc/grpc-js';
import { Lifecycle } from '#foundation';
import { EndpointStore } from '#scheduling';
import { healthOf, listedServices } from './health.rules.ts';
import type { HealthFacts, HealthStatus } from './health.rules.ts';

/** Says whether this replica is the one that serves. */
export abstract class Leadership {
  /** Undefined where replicas do not elect a leader. */
  abstract readonly isLeader: boolean | undefined;
}

/** Every replica serves. */
export class NoLeadership extends Leadership {
  readonly isLeader = undefined;
}

/** Says whether what the pool speaks can be read here. */
export abstract class PoolCompatibility {
  abstract readonly isCompatible: boolean;
}

interface HealthCheck {
  readonly request: { readonly service?: string };
}

interface HealthAnswer {
  readonly status: HealthStatus;
}

/** `grpc.health.v1.Health`: `Check` and `List`. `Watch` is left out, which grpc answers with UNIMPLEMENTED. */
@Injectable()
export class HealthService {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly endpoints: EndpointStore,
    private readonly leadership: Leadership,
    private readonly pool: PoolCompatibility,
  ) {}

  readonly methods: UntypedServiceImplementation = {
    Check: ({ request }: HealthCheck, answer: sendUnaryData<HealthAnswer>) => {
      answer(null, { status: healthOf(request.service ?? '', this.facts()) });
    },
    List: (_call: unknown, answer: sendUnaryData<{ readonly statuses: Record<string, HealthAnswer> }>) => {
      const facts = this.facts();
      const statuses = listedServices(facts).map((service) => [service, { status: healthOf(service, facts) }] as const);
      answer(null, { statuses: Object.fromEntries(statuses) });
    },
  };

  private facts(): HealthFacts {
    return {
      isReady: this.endpoints.isSynced && this.lifecycle.isReady && this.pool.isCompatible,
      isLeader: this.leadership.isLeader,
    };
  }
}
