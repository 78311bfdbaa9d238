import { ConfigError } from '#config';
import { AllowList } from '#disaggregation';
import { EndpointStore } from '#scheduling';
import type { Discovery, KubernetesTarget } from '#scheduling';
import type { ProtectedPool } from './sidecar.options.ts';

/** Makes what asks Kubernetes which pods there are in a pool, ready or not. */
export type PoolDiscovery = (target: KubernetesTarget) => Discovery;

/** Milliseconds for Kubernetes to say the pods for the first time. */
const SYNC_LIMIT = 30_000;

/** Allows the pods of a pool, by address and by name (`sidecar.md` 8). */
export class PoolAllowList extends AllowList {
  private hosts: ReadonlySet<string> | undefined;

  /** @param pods that are said all at once, so that none is missing in between */
  constructor(private readonly pods: EndpointStore) {
    super();
    const changed = (): void => {
      this.hosts = undefined;
    };
    pods.listen({ added: changed, removed: changed });
  }

  allows(host: string): boolean {
    this.hosts ??= new Set(
      this.pods.all().flatMap(({ endpoint: { address, name } }) => [address.toLowerCase(), name.toLowerCase()]),
    );
    return this.hosts.has(host.toLowerCase());
  }
}

/** An allow list that follows its pool until it is closed. */
export interface OpenAllowList {
  readonly list: AllowList;
  close(): Promise<void> | void;
}

/**
 * Done when the pods are known.
 * @param limit milliseconds
 * @throws ConfigError when Kubernetes cannot be asked, or does not say them in time
 */
export async function openPoolAllowList(
  { namespace, name, group }: ProtectedPool,
  ask: PoolDiscovery,
  limit = SYNC_LIMIT,
): Promise<OpenAllowList> {
  const discovery = ask({ kind: 'pool', name, namespace, group });
  const pods = new EndpointStore();
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => {
    late.resolve('late');
  }, limit);
  try {
    const started = discovery.start(pods);
    if ((await Promise.race([started, late.promise])) === 'late') throw notInTime(namespace, name, limit);
  } catch (error) {
    await discovery.close();
    throw error instanceof ConfigError ? error : unusable(error);
  } finally {
    clearTimeout(timer);
  }
  return { list: new PoolAllowList(pods), close: () => discovery.close() };
}

function notInTime(namespace: string, name: string, limit: number): ConfigError {
  return problem(
    `Kubernetes did not say the pods of the InferencePool ${namespace}/${name} within ${limit / 1000}s: ` +
      'is there such a pool, and may the service account list and watch inferencepools and pods?',
  );
}

function unusable(error: unknown): ConfigError {
  return problem(error instanceof Error ? error.message : 'Kubernetes cannot be asked');
}

function problem(message: string): ConfigError {
  const problems = [{ path: '--inference-pool', message: `${message} (--enable-ssrf-protection)` }];
  return new ConfigError('the pods that may be called cannot be known', problems);
}
