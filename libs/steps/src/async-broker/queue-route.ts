import type { BrokerConfig } from '#broker';

/** Where a request is queued, and which tier it is of. */
export interface QueueRoute {
  readonly queue: string;
  readonly tier: string;
}

/** The first route that fits; what it leaves open is the default's. */
export function queueRoute(
  { routes, default_queue: queue, default_tier: tier }: Pick<BrokerConfig, 'routes' | 'default_queue' | 'default_tier'>,
  model: string,
  tenant: string,
): QueueRoute {
  const route = routes.find((candidate) => fits(candidate.model, model) && fits(candidate.tenant, tenant));
  if (route === undefined) return { queue, tier };
  return { queue: route.queue === '' ? queue : route.queue, tier: route.tier === '' ? tier : route.tier };
}

function fits(wanted: string, value: string): boolean {
  return wanted === '' || wanted === value;
}
