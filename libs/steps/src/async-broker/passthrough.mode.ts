import { Inject, Injectable } from '@nestjs/common';
import { BROKER_CONFIG, BrokerObserver, Quota } from '#broker';
import type { BrokerConfig, QuotaOutcome } from '#broker';
import type { PipelineRequest, StepFindings } from '#pipeline';
import { withoutHeaders } from '#protocol';
import { queueRoute } from './queue-route.ts';

/** Live traffic with the identity of a tenant: it takes a place of the tenant's quota, and goes on with what that makes of it. */
@Injectable()
export class PassthroughMode {
  constructor(
    private readonly quota: Quota,
    private readonly observer: BrokerObserver,
    @Inject(BROKER_CONFIG) private readonly config: BrokerConfig,
  ) {}

  /** The headers that later calls carry. The tenant's place is held until the client has its answer, or is gone. */
  async classify(request: PipelineRequest, tenant: string): Promise<StepFindings> {
    const { outcome, release } = await this.quota.acquire(tenant);
    this.observer.classified(outcome);
    void (request.scope.delivered ?? Promise.resolve()).then(release);
    return { clientHeaders: this.headers(request, tenant, outcome) };
  }

  /** The client's objective and fairness id never go on: nobody chooses its own priority. */
  private headers({ scope, model = '' }: PipelineRequest, tenant: string, outcome: QuotaOutcome): readonly string[] {
    const { objective_header: objective, fairness_header: fairness } = this.config;
    const headers = withoutHeaders(scope.headers, new Set([objective, fairness]));
    const stamped = this.objectiveOf(queueRoute(this.config, model, tenant).tier, outcome);
    if (stamped !== '') headers.push(objective, stamped);
    headers.push(fairness, tenant);
    return headers;
  }

  private objectiveOf(tier: string, outcome: QuotaOutcome): string {
    const { objectives } = this.config;
    const names = Object.hasOwn(objectives, tier) ? objectives[tier] : undefined;
    if (names === undefined) return '';
    return outcome === 'overflow' ? names.overflow : names.reserved;
  }
}
