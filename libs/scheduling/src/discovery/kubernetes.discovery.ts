import type { KubeConfig } from '@kubernetes/client-node';
import { Logger } from '@nestjs/common';
import type { Endpoint } from '../endpoint.ts';
import type { EndpointStore } from '../endpoint.store.ts';
import type { Discovery } from '../plugin.ts';
import { KubeClient } from './kube.client.ts';
import { kubeConfig } from './kube-config.ts';
import { parseLabelSelector } from './label-selector-text.ts';
import { podEndpoints, readPod } from './pod-endpoints.ts';
import type { Pod } from './pod-endpoints.ts';
import { poolKind } from './pool-target.ts';
import type { PodTarget, PoolKind } from './pool-target.ts';
import { ResourceWatch, WATCH_TIMES } from './resource-watch.ts';
import type { WatchTimes } from './resource-watch.ts';

/** An InferencePool by name, or pods by their labels. */
export type KubernetesTarget =
  | { readonly kind: 'pool'; readonly name: string; readonly namespace: string; readonly group: string }
  | {
      readonly kind: 'selector';
      readonly selector: string;
      readonly ports: readonly number[];
      readonly namespace: string;
    };

/** Where Kubernetes is, and how patient one is with it. */
export interface KubernetesAccess {
  /** Default: as kubectl finds it, or the pod's own service account. */
  readonly config?: KubeConfig;
  readonly times?: Partial<WatchTimes>;
  /** What a pod is turned into. Default: an endpoint for each port of the pool, where the pod is ready. */
  readonly endpointsOf?: (pod: Pod, ports: readonly number[]) => readonly Endpoint[];
}

/**
 * Takes endpoints from the pods of a pool (`epp.md` 7.2). Until the pool is there for the first time nothing is said; when it is deleted,
 * there are none. What cannot be had from Kubernetes at the moment changes nothing.
 */
export class KubernetesDiscovery implements Discovery {
  private readonly logger = new Logger('discovery');
  private readonly closing = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private readonly times: WatchTimes;
  private target: PodTarget | undefined;
  private pods: ReadonlyMap<string, Pod> = new Map();
  /** Whether `pods` are those of the present selector. */
  private isListed = false;
  /** Ends the watch of the pods of the present selector. */
  private watching: AbortController | undefined;

  /** @throws Error for a selector that is none, or no ports */
  constructor(
    private readonly asked: KubernetesTarget,
    private readonly access: KubernetesAccess = {},
  ) {
    this.times = { ...WATCH_TIMES, ...access.times };
    if (asked.kind === 'pool') return;
    parseLabelSelector(asked.selector);
    if (asked.ports.length === 0) throw new Error('a label selector needs ports');
  }

  /** `appProtocol` of the pool, where it has one. */
  get appProtocol(): string | undefined {
    return this.target?.appProtocol;
  }

  /**
   * Done when the pods were listed once, which may take as long as Kubernetes cannot be reached or has no such pool; also done, with
   * nothing said, when it is closed before that.
   * @throws Error when it is not configured where Kubernetes is
   */
  async start(endpoints: EndpointStore): Promise<void> {
    const client = new KubeClient(this.access.config ?? (await kubeConfig()));
    if (this.closing.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.closing.signal.addEventListener('abort', () => resolve());
      const said = (): void => {
        endpoints.replace(this.endpoints());
        resolve();
      };
      if (this.asked.kind === 'pool') this.watchPool(client, this.asked, said);
      else this.aim(client, { ...this.asked, appProtocol: undefined }, said);
    });
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.watching?.abort();
    await Promise.all(this.running);
  }

  private watchPool(client: KubeClient, pool: KubernetesTarget & { kind: 'pool' }, said: () => void): void {
    const { name, namespace, group } = pool;
    const kind = poolKind(group);
    const watch = new ResourceWatch(
      client,
      {
        resource: {
          path: `/apis/${group}/${kind.version}/namespaces/${namespace}/inferencepools`,
          fieldSelector: `metadata.name=${name}`,
        },
        read: (object) => this.readPool(kind, object),
        changed: (pools) => this.aim(client, pools.get(name), said),
        failed: this.warn('the pool cannot be watched'),
      },
      this.times,
    );
    this.run(watch, this.closing.signal);
  }

  /** Follows the pods of a target; the old ones stay until the new ones are listed. */
  private aim(client: KubeClient, target: PodTarget | undefined, said: () => void): void {
    const before = this.target;
    this.target = target;
    if (target !== undefined && target.selector === before?.selector) {
      // other ports, perhaps
      if (this.isListed) said();
      return;
    }
    this.watching?.abort();
    this.isListed = false;
    if (target !== undefined) return this.watchPods(client, target, said);
    this.pods = new Map();
    if (before !== undefined) said();
    this.logger.warn({ pool: this.asked }, 'there is no such pool');
  }

  /** A pool that makes no sense at the moment stays what it was. */
  private readPool(kind: PoolKind, object: unknown): PodTarget | undefined {
    try {
      return kind.target(object);
    } catch (error) {
      this.logger.warn({ err: error, pool: this.asked }, 'the pool cannot be used as it is');
      return this.target;
    }
  }

  private watchPods(client: KubeClient, { selector }: PodTarget, said: () => void): void {
    this.watching = new AbortController();
    const path = `/api/v1/namespaces/${this.asked.namespace}/pods`;
    const matches = parseLabelSelector(selector);
    const watch = new ResourceWatch(
      client,
      {
        resource: { path, ...(selector === '' ? {} : { labelSelector: selector }) },
        read: readPod,
        changed: (pods) => {
          this.pods = new Map([...pods].filter(([, { labels }]) => matches(labels)));
          this.isListed = true;
          said();
        },
        failed: this.warn('the pods cannot be watched'),
      },
      this.times,
    );
    this.run(watch, this.watching.signal);
  }

  private endpoints(): readonly Endpoint[] {
    const ports = this.target?.ports ?? [];
    const { endpointsOf = podEndpoints } = this.access;
    return [...this.pods.values()].flatMap((pod) => endpointsOf(pod, ports));
  }

  private run<Item>(watch: ResourceWatch<Item>, signal: AbortSignal): void {
    const run = watch.run(signal);
    this.running.add(run);
    void run.finally(() => this.running.delete(run));
  }

  private warn(message: string): (error: unknown) => void {
    return (error) => this.logger.warn({ err: error, namespace: this.asked.namespace }, message);
  }
}
