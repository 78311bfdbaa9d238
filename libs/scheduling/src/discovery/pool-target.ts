import { z } from 'zod';

/** Which pods are endpoints, and at which ports. */
export interface PodTarget {
  /** As Kubernetes writes it: `app=vllm,tier=gpu`. */
  readonly selector: string;
  /** At least one. */
  readonly ports: readonly number[];
  /** `appProtocol` of a pool; undefined where it does not say. */
  readonly appProtocol: string | undefined;
}

const port = z.int().min(1).max(65_535);

const labels = z.record(z.string(), z.string());
const metadata = z.object({ deletionTimestamp: z.string().optional() });

const stablePool = z.object({
  metadata,
  spec: z.object({
    selector: z.object({ matchLabels: labels }),
    targetPorts: z
      .array(z.object({ number: port }))
      .min(1)
      .max(8),
    appProtocol: z.string().optional(),
  }),
});

const alphaPool = z.object({ metadata, spec: z.object({ selector: labels, targetPortNumber: port }) });

/** How pools of an API group are had: before they were v1 they had another group, and another form. */
export interface PoolKind {
  readonly version: string;
  /**
   * What a pool asks for.
   * @returns undefined for one that is being deleted
   * @throws Error for one that is none, or selects every pod
   */
  readonly target: (object: unknown) => PodTarget | undefined;
}

const ALPHA_GROUP = 'inference.networking.x-k8s.io';
const ALPHA: PoolKind = { version: 'v1alpha2', target: alphaTarget };
const STABLE: PoolKind = { version: 'v1', target: stableTarget };

export function poolKind(group: string): PoolKind {
  return group === ALPHA_GROUP ? ALPHA : STABLE;
}

function stableTarget(object: unknown): PodTarget | undefined {
  const { metadata: about, spec } = stablePool.parse(object);
  if (about.deletionTimestamp !== undefined) return undefined;
  return {
    selector: selectorText(spec.selector.matchLabels, 'spec.selector.matchLabels'),
    ports: spec.targetPorts.map(({ number }) => number),
    appProtocol: spec.appProtocol,
  };
}

function alphaTarget(object: unknown): PodTarget | undefined {
  const { metadata: about, spec } = alphaPool.parse(object);
  if (about.deletionTimestamp !== undefined) return undefined;
  return {
    selector: selectorText(spec.selector, 'spec.selector'),
    ports: [spec.targetPortNumber],
    appProtocol: undefined,
  };
}

function selectorText(wanted: Readonly<Record<string, string>>, path: string): string {
  const pairs = Object.entries(wanted);
  if (pairs.length === 0) throw new Error(`${path} is empty`);
  return pairs.map(([key, value]) => `${key}=${value}`).join(',');
}
