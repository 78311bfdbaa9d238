import { Logger } from '@nestjs/common';
import { z } from 'zod';
import type { Objectives } from '../objectives.ts';
import { KubeClient, KubeStatusError } from './kube.client.ts';
import { kubeConfig } from './kube-config.ts';
import type { KubernetesAccess, KubernetesTarget } from './kubernetes.discovery.ts';
import { ResourceWatch, WATCH_TIMES } from './resource-watch.ts';

const API = '/apis/llm-d.ai/v1alpha2';
/** Status of a kind that the cluster does not have. */
const UNKNOWN_KIND = 404;

const objective = z.object({
  metadata: z.object({ deletionTimestamp: z.string().optional() }),
  spec: z.object({ priority: z.int().default(0), poolRef: z.object({ name: z.string() }).optional() }),
});

interface Found {
  readonly priority: number;
  /** Undefined where it is for every pool. */
  readonly pool: string | undefined;
  readonly isLeaving: boolean;
}

/**
 * Takes priorities from the `InferenceObjective` objects of a namespace (`epp.md` 7.2): those for the pool, or for no pool in particular.
 * A cluster that does not know the kind has none; whether it does is asked again every now and then.
 */
export class KubernetesObjectives {
  private readonly logger = new Logger('objectives');
  private readonly closing = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** Status of the last refusal. */
  private refusal: number | undefined;

  constructor(
    private readonly target: KubernetesTarget,
    private readonly access: Pick<KubernetesAccess, 'config' | 'times'> = {},
  ) {}

  /** Done at once; nobody waits for priorities. @throws Error when it is not configured where Kubernetes is */
  async start(objectives: Objectives): Promise<void> {
    const client = new KubeClient(this.access.config ?? (await kubeConfig()));
    const watch = new ResourceWatch<Found>(
      client,
      {
        resource: { path: `${API}/namespaces/${this.target.namespace}/inferenceobjectives` },
        read: readObjective,
        changed: (found) => objectives.replace(this.priorities(found)),
        failed: (error) => this.failed(error),
      },
      { ...WATCH_TIMES, ...this.access.times },
    );
    this.running = watch.run(this.closing.signal);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private priorities(found: ReadonlyMap<string, Found>): ReadonlyMap<string, number> {
    const pool = this.target.kind === 'pool' ? this.target.name : undefined;
    const ours = [...found].filter(([, { pool: of, isLeaving }]) => !isLeaving && (of === undefined || of === pool));
    return new Map(ours.map(([name, { priority }]) => [name, priority]));
  }

  /** The same answer is had every half minute, and said once. */
  private failed(error: unknown): void {
    const status = error instanceof KubeStatusError ? error.status : undefined;
    const isKnown = status !== undefined && status === this.refusal;
    this.refusal = status;
    if (isKnown) return;
    if (status === UNKNOWN_KIND) this.logger.log('the cluster has no InferenceObjective: every request has priority 0');
    else this.logger.warn({ err: error, namespace: this.target.namespace }, 'objectives cannot be watched');
  }
}

/** @throws Error for an object that is none */
function readObjective(object: unknown): Found {
  const { metadata, spec } = objective.parse(object);
  return { priority: spec.priority, pool: spec.poolRef?.name, isLeaving: metadata.deletionTimestamp !== undefined };
}
