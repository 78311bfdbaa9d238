import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../e2e/support/kubernetes.api.ts';
import { CASES, QUEUED } from './helm.cases.ts';
import { hasHelm, rendered } from './helm.chart.ts';
import { only, podsOf } from './manifests.ts';

const withHelm = hasHelm ? describe : describe.skip;
/** With which a client would choose a pool or a pod. */
const ROUTING = [
  'epp-profile',
  'x-llm-d-epp-profile',
  'x-llm-d-pin-host-port',
  'x-gateway-destination-endpoint',
  'x-gateway-destination-endpoint-subset',
  'x-gateway-destination-endpoint-served',
  'x-prefiller-host-port',
  'x-encoder-hosts-ports',
  'x-kv-cache-source-host-port',
  'x-data-parallel-host-port',
];
const FOREVER = { request: '0s', backendRequest: '0s' };
const POOL = { group: 'inference.networking.k8s.io', kind: 'InferencePool' };

/** A policy, as far as it is looked at. */
interface Policy {
  readonly podSelector: { readonly matchExpressions?: readonly { readonly values: readonly string[] }[] };
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

interface Rule {
  readonly from?: readonly unknown[];
  readonly to?: readonly unknown[];
  readonly ports?: readonly { readonly port: string | number }[];
}

function policyOf(objects: readonly KubernetesObject[], name: string): Policy {
  // the API server has seen that it is one
  return only(objects, 'NetworkPolicy', name)['spec'] as Policy;
}

withHelm('routes', () => {
  it('take from clients what is not theirs, and have no time limit', async () => {
    const { spec } = only(await rendered({}), 'HTTPRoute', 'llm-d-clients');
    expect(spec).toEqual({
      parentRefs: [{ name: 'inference-gateway', sectionName: 'clients' }],
      rules: [
        {
          filters: [
            {
              type: 'RequestHeaderModifier',
              requestHeaderModifier: {
                remove: expect.arrayContaining([...ROUTING]),
              },
            },
          ],
          backendRefs: [{ name: 'llm-d-coordinator', port: 8080 }],
          timeouts: FOREVER,
        },
      ],
    });
  });

  it.each(['epp-profile', 'EPP-Profile', 'x-llm-d-epp-profile', 'x-phase'])(
    'take every spelling of the profile header from clients, each once, where it is %s',
    async (profile) => {
      const objects = await rendered({ coordinator: { config: { gateway: { profile_header: profile } } } });
      // the API server has seen that it is one
      const { rules } = only(objects, 'HTTPRoute', 'llm-d-clients')['spec'] as {
        rules: { filters: { requestHeaderModifier: { remove: string[] } }[] }[];
      };
      const removed = rules[0]?.filters[0]?.requestHeaderModifier.remove ?? [];
      expect(removed).toEqual([...new Set(removed.map((name) => name.toLowerCase()))]);
      expect(removed).toEqual(expect.arrayContaining(['epp-profile', 'x-llm-d-epp-profile', profile.toLowerCase()]));
    },
  );

  it.each([
    { mode: 'profiles', pools: ['llm-d', 'llm-d', 'llm-d'] },
    { mode: 'roles', pools: ['llm-d-encode', 'llm-d-prefill', 'llm-d-decode'] },
  ])('lead by the profile header to pools in mode $mode, at a listener of their own', async ({ mode, pools }) => {
    const objects = await rendered({
      picker: { mode },
      coordinator: { config: { gateway: { profile_header: 'x-phase' } } },
    });
    expect(only(objects, 'HTTPRoute', 'llm-d-phases')['spec']).toEqual({
      parentRefs: [{ name: 'inference-gateway', sectionName: 'phases' }],
      rules: ['encode', 'prefill', 'decode'].map((value, index) => ({
        matches: [{ headers: [{ name: 'x-phase', type: 'Exact', value }] }],
        backendRefs: [{ ...POOL, name: pools[index] }],
        timeouts: FOREVER,
      })),
    });
    expect(JSON.stringify(only(objects, 'HTTPRoute', 'llm-d-clients'))).toContain('"x-phase"');
  });

  it('lead clients to the pool where decode pods have the sidecar', async () => {
    const { spec } = only(await rendered({ picker: { mode: 'sidecar' } }), 'HTTPRoute');
    expect(spec).toMatchObject({ rules: [{ backendRefs: [{ ...POOL, name: 'llm-d' }], timeouts: FOREVER }] });
  });

  it.each(Object.entries(CASES))('%s: every pool is asked of a picker that is there', async (_, values) => {
    const objects = await rendered(values);
    for (const pool of objects.filter(({ kind }) => kind === 'InferencePool')) {
      // the API server has seen that it is one
      const { endpointPickerRef } = pool['spec'] as { endpointPickerRef: { name: string; port: { number: number } } };
      expect(only(objects, 'Service', endpointPickerRef.name)['spec']).toMatchObject({
        ports: expect.arrayContaining([expect.objectContaining({ port: endpointPickerRef.port.number })]),
      });
    }
  });
});

withHelm('network policies', () => {
  it('deny everything to every pod of the chart', async () => {
    expect(policyOf(await rendered({}), 'llm-d-deny')).toEqual({
      podSelector: {
        matchLabels: { 'app.kubernetes.io/name': 'inference-coordinator', 'app.kubernetes.io/instance': 'llm-d' },
      },
      policyTypes: ['Ingress', 'Egress'],
    });
  });

  it.each(Object.entries(CASES))(
    '%s: each is about pods that there are, and ports that they have',
    async (_, values) => {
      const objects = await rendered(values);
      const pods = podsOf(objects);
      for (const object of objects.filter(({ kind }) => kind === 'NetworkPolicy')) {
        const { podSelector, ingress = [] } = policyOf(objects, object.metadata.name);
        const components = podSelector.matchExpressions?.[0]?.values ?? [];
        const meant = pods.filter(({ metadata }) =>
          components.some((name) => JSON.stringify(metadata).includes(`"${name}"`)),
        );
        expect(new Set(meant.map(({ of }) => of)).size).toBeGreaterThanOrEqual(components.length);
        const named = meant.flatMap(({ spec }) =>
          spec.containers.flatMap(({ ports }) => (ports as { name: string }[] | undefined) ?? []),
        );
        const wanted = ingress.flatMap(({ ports = [] }) => ports.map(({ port }) => port));
        expect(named.map(({ name }) => name)).toEqual(expect.arrayContaining(wanted));
      }
    },
  );

  it('let nobody out to media unless it is said', async () => {
    const peers = async (enabled: boolean) => {
      const objects = await rendered({ networkPolicy: { media: { enabled } } });
      return JSON.stringify(policyOf(objects, 'llm-d-coordinator').egress);
    };
    expect(await peers(false)).not.toContain('ipBlock');
    expect(await peers(true)).toContain('169.254.0.0/16');
  });

  it('let the coordinator out to names, gateway and render, and no further', async () => {
    const { egress = [], ingress = [] } = policyOf(await rendered({}), 'llm-d-coordinator');
    expect(egress.map(({ to }) => JSON.stringify(to))).toEqual([
      expect.stringContaining('kube-dns'),
      expect.stringContaining('gateway-name'),
      expect.stringContaining('vllm-render'),
    ]);
    expect(ingress.map(({ ports }) => ports?.map(({ port }) => port))).toEqual([['api'], ['metrics']]);
  });

  it('let the coordinator that queues and its worker out to Redis, and the worker in to the coordinator', async () => {
    const objects = await rendered(QUEUED);
    const worker = policyOf(objects, 'llm-d-async-worker');
    expect(worker.ingress?.map(({ ports }) => ports?.map(({ port }) => port))).toEqual([['metrics']]);
    expect(worker.egress?.map(({ to }) => JSON.stringify(to))).toEqual([
      expect.stringContaining('kube-dns'),
      expect.stringContaining('"app":"redis"'),
      expect.stringContaining('"app.kubernetes.io/component":"coordinator"'),
    ]);
    const { ingress = [], egress = [] } = policyOf(objects, 'llm-d-coordinator');
    expect(JSON.stringify(ingress[0]?.from)).toContain('"app.kubernetes.io/component":"async-worker"');
    expect(egress.filter(({ to }) => JSON.stringify(to).includes('"app":"redis"'))).toMatchObject([
      { ports: [{ port: 6379 }, { port: 26379 }] },
    ]);
  });

  it('let the picker out to names, the API server, and the metrics of its pools', async () => {
    const objects = await rendered({ picker: { mode: 'roles' }, pool: { targetPorts: [8000, 8001] } });
    const { egress = [] } = policyOf(objects, 'llm-d-picker');
    expect(egress.map(({ ports }) => ports?.map(({ port }) => port))).toEqual([
      [53, 53],
      [443, 6443],
      [8000, 8001],
    ]);
    expect(egress[2]?.to).toHaveLength(3);
  });

  it('let spans out where there are any', async () => {
    const { egress = [] } = policyOf(await rendered({ tracing: { endpoint: 'http://c:4317' } }), 'llm-d-picker');
    expect(JSON.stringify(egress.at(-1))).toContain('monitoring');
  });

  it('let a bundled render be asked by the coordinator alone', async () => {
    const objects = await rendered({ render: { mode: 'bundled', model: 'org/model', image: { tag: 'v0.20.0' } } });
    const { ingress } = policyOf(objects, 'llm-d-render');
    expect(ingress).toMatchObject([
      {
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/component': 'coordinator' } } }],
        ports: [{ port: 'http' }],
      },
    ]);
  });
});
