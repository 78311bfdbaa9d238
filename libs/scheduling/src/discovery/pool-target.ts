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

const pool = z.object({
  metadata: z.object({ deletionTimestamp: z.string().optional() }),
  spec: z.object({
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    targetPorts: z
      .array(z.object({ number: port }))
      .min(1)
      .max(8),
    appProtocol: z.string().optional(),
  }),
});

/**
 * What an InferencePool (v1) asks for.
 * @returns undefined for one that is being deleted
 * @throws Error for one that is none, or selects every pod
 */
export function poolTarget(object: unknown): PodTarget | undefined {
  const { metadata, spec } = pool.parse(object);
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const labels = Object.entries(spec.selector.matchLabels);
  if (labels.length === 0) throw new Error('spec.selector.matchLabels is empty');
  return {
    selector: labels.map(([key, value]) => `${key}=${value}`).join(','),
    ports: spec.targetPorts.map(({ number }) => number),
    appProtocol: spec.appProtocol,
  };
}
