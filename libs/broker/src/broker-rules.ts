import { queueProblem, quotaProblem, quotaStart, tenantProblem } from './broker-keys.ts';
import { topologyProblems } from './redis-rules.ts';
import type { RuleProblem } from './redis-rules.ts';
import { timeoutLimits } from './timeout-limits.ts';
import type { ConfiguredLimits } from './timeout-limits.ts';

/** The parameters that depend on each other, or on what a key may be. */
export interface CheckedConfig {
  readonly redis_url: string;
  readonly redis: { readonly topology: 'standalone' | 'sentinel' | 'cluster'; readonly master_name: string };
  readonly mode_header: string;
  readonly objective_header: string;
  readonly fairness_header: string;
  readonly forward_headers: readonly string[];
  readonly timeouts: { readonly enqueue: ConfiguredLimits; readonly wait: ConfiguredLimits };
  readonly routes: readonly { readonly queue: string; readonly tenant: string }[];
  readonly default_queue: string;
  readonly quota: {
    readonly prefix: string;
    readonly attribute: string;
    readonly limits: Readonly<Record<string, number>>;
  };
  readonly wakeup_mode: 'auto' | 'notify' | 'poll';
}

/** What no single parameter shows. */
export function brokerProblems(config: CheckedConfig): RuleProblem[] {
  return [
    ...headerProblems(config),
    ...timeoutProblems(config),
    ...keyProblems(config),
    ...clusterProblems(config),
    ...queueTopologyProblems(config),
  ];
}

/** These are said by the step, and by nobody else. */
function headerProblems(config: CheckedConfig): RuleProblem[] {
  const own = [config.mode_header, config.objective_header, config.fairness_header];
  return config.forward_headers.flatMap((name, index) =>
    own.includes(name)
      ? { path: ['forward_headers', index], message: `"${name}" must not be forwarded: the step itself decides on it` }
      : [],
  );
}

function timeoutProblems({ timeouts }: CheckedConfig): RuleProblem[] {
  return (['enqueue', 'wait'] as const).flatMap((mode) => {
    const { fallback, most } = timeoutLimits(timeouts, mode);
    if (fallback <= most) return [];
    const message = `the default of ${fallback} seconds is longer than the limit of ${most}`;
    return { path: ['timeouts', mode, 'max_seconds'], message };
  });
}

function keyProblems({ routes, default_queue: queue, quota }: CheckedConfig): RuleProblem[] {
  const counters = quotaStart(quota.prefix, quota.attribute);
  const found = [
    { path: ['default_queue'], message: queueProblem(queue, counters) },
    ...routes.flatMap((route, index) => [
      {
        path: ['routes', index, 'queue'],
        message: route.queue === '' ? undefined : queueProblem(route.queue, counters),
      },
      { path: ['routes', index, 'tenant'], message: route.tenant === '' ? undefined : tenantProblem(route.tenant) },
    ]),
    { path: ['quota', 'prefix'], message: quotaProblem(quota.prefix, quota.attribute) },
    ...Object.keys(quota.limits).map((tenant) => ({
      path: ['quota', 'limits', tenant],
      message: tenantProblem(tenant),
    })),
  ];
  return found.flatMap(({ path, message }) => (message === undefined ? [] : { path, message }));
}

function clusterProblems(config: CheckedConfig): RuleProblem[] {
  if (config.redis.topology !== 'cluster' || config.wakeup_mode !== 'notify') return [];
  const message = 'a cluster tells of a key on its own node only: use "poll" or "auto"';
  return [{ path: ['wakeup_mode'], message }];
}

function queueTopologyProblems(config: CheckedConfig): RuleProblem[] {
  const others = config.routes.map(({ queue }, index) => ({ path: ['routes', index, 'queue'], queue }));
  return topologyProblems(
    config,
    { path: ['default_queue'], queue: config.default_queue },
    others.filter(({ queue }) => queue !== ''),
  );
}
