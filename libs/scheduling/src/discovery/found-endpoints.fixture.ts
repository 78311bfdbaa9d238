import { EndpointStore } from '../endpoint.store.ts';
import type { FakeKubeApi } from './fake-kube-api.fixture.ts';
import { KubernetesDiscovery } from './kubernetes.discovery.ts';
import type { KubernetesAccess, KubernetesTarget } from './kubernetes.discovery.ts';
import type { WatchTimes } from './resource-watch.ts';

/** The store, and every set of endpoints that it held, for what must not be in between. */
export interface Found {
  readonly endpoints: EndpointStore;
  readonly history: string[];
  readonly discovery: KubernetesDiscovery;
  readonly started: Promise<void>;
  /** Done when the endpoints are these. */
  readonly until: (...ids: string[]) => Promise<void>;
}

/** Starts to find endpoints with little patience; whoever does has to close it. */
export async function find(
  api: FakeKubeApi,
  target: KubernetesTarget,
  times: Partial<WatchTimes> = {},
  access: Pick<KubernetesAccess, 'endpointsOf'> = {},
): Promise<Found> {
  const endpoints = new EndpointStore();
  const history: string[] = [];
  const waiting = new Set<() => void>();
  // one set takes the place of another in one go; what is there in the midst of it nobody sees
  const note = (): void =>
    queueMicrotask(() => {
      const ids = listOf(endpoints);
      if (history.at(-1) !== ids) history.push(ids);
      for (const wake of waiting) wake();
    });
  endpoints.listen({ added: note, removed: note });
  const patience = { firstPause: 2, longestPause: 20, ...times };
  const discovery = new KubernetesDiscovery(target, { config: await api.config(), times: patience, ...access });
  const until = async (...ids: string[]): Promise<void> => {
    while (listOf(endpoints) !== ids.toSorted().join(' ')) {
      await new Promise<void>((resolve) => waiting.add(resolve));
    }
  };
  return { endpoints, history, discovery, started: discovery.start(endpoints), until };
}

export function listOf(endpoints: EndpointStore): string {
  return endpoints
    .all()
    .map(({ endpoint }) => endpoint.id)
    .toSorted()
    .join(' ');
}
