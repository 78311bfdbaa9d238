import { hashTag, queueProblem, quotaProblem, quotaStart, tenantProblem } from './broker-keys.ts';
import { timeoutLimits } from './timeout-limits.ts';
import type { ConfiguredLimits } from './timeout-limits.ts';

/** One thing that is wrong, at a path of the step's parameters. */
export interface BrokerProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

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
export function brokerProblems(config: CheckedConfig): BrokerProblem[] {
  return [...headerProblems(config), ...timeoutProblems(config), ...keyProblems(config), ...topologyProblems(config)];
}

/** These are said by the step, and by nobody else. */
function headerProblems(config: CheckedConfig): BrokerProblem[] {
  const own = [config.mode_header, config.objective_header, config.fairness_header];
  return config.forward_headers.flatMap((name, index) =>
    own.includes(name)
      ? { path: ['forward_headers', index], message: `"${name}" must not be forwarded: the step itself decides on it` }
      : [],
  );
}

function timeoutProblems({ timeouts }: CheckedConfig): BrokerProblem[] {
  return (['enqueue', 'wait'] as const).flatMap((mode) => {
    const { fallback, most } = timeoutLimits(timeouts, mode);
    if (fallback <= most) return [];
    const message = `the default of ${fallback} seconds is longer than the limit of ${most}`;
    return { path: ['timeouts', mode, 'max_seconds'], message };
  });
}

function keyProblems({ routes, default_queue: queue, quota }: CheckedConfig): BrokerProblem[] {
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

function topologyProblems(config: CheckedConfig): BrokerProblem[] {
  switch (config.redis.topology) {
    case 'standalone':
      return [];
    case 'sentinel':
      return config.redis.master_name === ''
        ? [{ path: ['redis', 'master_name'], message: 'is needed to ask sentinels for the master' }]
        : [];
    case 'cluster':
      return clusterProblems(config);
  }
}

/** All keys of one request have to be on one node, and which queue a request was put on is not known when it is asked for. */
function clusterProblems(config: CheckedConfig): BrokerProblem[] {
  const problems: BrokerProblem[] = [];
  if (config.wakeup_mode === 'notify') {
    const message = 'a cluster tells of a key on its own node only: use "poll" or "auto"';
    problems.push({ path: ['wakeup_mode'], message });
  }
  if (/^\/0*[1-9]/.test(new URL(config.redis_url).pathname)) {
    problems.push({ path: ['redis_url'], message: 'a cluster has database 0 only' });
  }
  const tag = hashTag(config.default_queue);
  if (tag === undefined) {
    const message = 'needs a hash tag in a cluster, such as "{llm-d}request-sortedset"';
    return [...problems, { path: ['default_queue'], message }];
  }
  for (const [index, { queue }] of config.routes.entries()) {
    if (queue === '' || hashTag(queue) === tag) continue;
    problems.push({ path: ['routes', index, 'queue'], message: `needs the hash tag {${tag}} of default_queue` });
  }
  return problems;
}
