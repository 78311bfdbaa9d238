import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';

/** What matters of a pod. */
export interface Pod {
  readonly namespace: string;
  readonly name: string;
  /** Undefined while it has none. */
  readonly address: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether requests may be sent to it: ready, and not about to go. Its phase does not matter. */
  readonly isUsable: boolean;
  /** Ports that it serves at present, out of those of the pool; undefined: all. */
  readonly activePorts: ReadonlySet<number> | undefined;
}

const ACTIVE_PORTS = ['llm-d.ai/active-ports', 'inference.networking.k8s.io/active-ports'];

const pod = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string().default('default'),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
    deletionTimestamp: z.string().optional(),
  }),
  status: z
    .object({
      podIP: z.string().optional(),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
    })
    .prefault({}),
});

/** @throws Error for an object that is no pod */
export function readPod(object: unknown): Pod {
  const { metadata, status } = pod.parse(object);
  const isReady = status.conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    address: status.podIP === '' ? undefined : status.podIP,
    labels: metadata.labels,
    isUsable: isReady && metadata.deletionTimestamp === undefined,
    activePorts: activePorts(metadata.annotations),
  };
}

/**
 * One endpoint for each port that the pod serves. Where there is more than one port, names end in the rank, which is the place of the port
 * in the list, whether or not the ones before it are served (`epp.md` 7.2).
 */
export function podEndpoints(
  { namespace, name, address, labels, isUsable, activePorts }: Pod,
  ports: readonly number[],
): Endpoint[] {
  if (!isUsable || address === undefined) return [];
  return ports.flatMap((port, rank) => {
    if (activePorts !== undefined && !activePorts.has(port)) return [];
    const own = ports.length === 1 ? name : `${name}-rank-${rank}`;
    return [{ id: `${namespace}/${own}`, namespace, name: own, address, port, labels }];
  });
}

/** One endpoint for the pod, whether or not it is ready, whatever it serves: who asks wants to know which pods there are. */
export function podItself({ namespace, name, address, labels }: Pod, [port = 0]: readonly number[]): Endpoint[] {
  return address === undefined ? [] : [{ id: `${namespace}/${name}`, namespace, name, address, port, labels }];
}

/** Numbers separated by commas; what is none does not count. */
function activePorts(annotations: Readonly<Record<string, string>>): ReadonlySet<number> | undefined {
  const text = ACTIVE_PORTS.map((name) => annotations[name]).find((value) => value !== undefined);
  return text === undefined ? undefined : new Set(text.split(',').map((part) => Number(part.trim() || NaN)));
}
