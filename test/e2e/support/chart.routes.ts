import { z } from 'zod';
import { only } from '../../integration/manifests.ts';
import type { KubernetesObject } from './kubernetes.api.ts';
import type { Labels } from './kubernetes.namespace.ts';
import { PHASES } from './picker-config.ts';
import type { Phase } from './picker-config.ts';

const routeSpec = z.looseObject({
  rules: z.array(
    z.looseObject({
      matches: z.array(z.object({ headers: z.array(z.looseObject({ value: z.string() })) })).default([]),
      backendRefs: z.array(z.looseObject({ kind: z.string().optional(), name: z.string() })),
    }),
  ),
});
const poolSpec = z.looseObject({
  selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
  endpointPickerRef: z.looseObject({ name: z.string(), port: z.object({ number: z.int() }) }),
});

/** A pool of the chart. */
export interface ChartPool {
  /** Labels of its pods. */
  readonly labels: Labels;
  /** Who is asked about it, and at which port. */
  readonly picker: { readonly name: string; readonly port: number };
}

/** The pools to which routes of the chart lead, by phase: those of the coordinator's calls or, where there is no coordinator, of clients. */
export function chartPools(objects: readonly KubernetesObject[]): Readonly<Record<Phase, ChartPool>> {
  const rules = objects
    .filter(({ kind }) => kind === 'HTTPRoute')
    .flatMap((route) => routeSpec.parse(route['spec']).rules)
    .filter(({ backendRefs }) => backendRefs.some(({ kind }) => kind === 'InferencePool'));
  const of = (phase: Phase): ChartPool => {
    const rule = rules.find(({ matches }) => {
      const values = matches.flatMap(({ headers }) => headers.map(({ value }) => value));
      return values.length === 0 || values.includes(phase);
    });
    const pool = only(objects, 'InferencePool', rule?.backendRefs[0]?.name ?? 'nowhere');
    const { selector, endpointPickerRef } = poolSpec.parse(pool['spec']);
    const { name, port } = endpointPickerRef;
    return { labels: selector.matchLabels, picker: { name, port: port.number } };
  };
  const [encode, prefill, decode] = PHASES.map(of);
  if (encode === undefined || prefill === undefined || decode === undefined) throw new Error('a phase has no pool');
  return { encode, prefill, decode };
}
