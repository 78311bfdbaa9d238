import type { KubernetesApi, KubernetesObject } from './kubernetes.api.ts';

export type Labels = Readonly<Record<string, string>>;

/** One rule of a Role. */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What a pod is, and what its kubelet would say of it. */
export interface PodState {
  /** Loopback, so that whoever calls it reaches nobody else. */
  readonly address: string;
  readonly labels: Labels;
  readonly annotations?: Labels;
  readonly isReady?: boolean;
}

const POOL_API = 'inference.networking.k8s.io/v1';

/** A namespace of a test's own: its pool, its pods, and who may see them. */
export class KubernetesNamespace {
  private constructor(
    private readonly api: KubernetesApi,
    readonly name: string,
  ) {}

  static async create(api: KubernetesApi, name: string): Promise<KubernetesNamespace> {
    await api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return new KubernetesNamespace(api, name);
  }

  /** Makes a pool, or makes it what is given. */
  async pool(name: string, matchLabels: Labels, ports: readonly number[], more: object = {}): Promise<void> {
    const spec = { selector: { matchLabels }, targetPorts: ports.map((number) => ({ number })), ...more };
    await this.api.apply({ ...this.named(POOL_API, 'InferencePool', name), spec });
  }

  async removePool(name: string): Promise<void> {
    await this.api.remove(this.named(POOL_API, 'InferencePool', name));
  }

  /** Makes a pod, or makes it what is given. */
  async pod(name: string, { address, labels, annotations = {}, isReady = true }: PodState): Promise<void> {
    const pod = this.named('v1', 'Pod', name);
    const spec = { nodeName: 'node', containers: [{ name: 'vllm', image: 'vllm' }] };
    await this.api.apply({ ...pod, metadata: { ...pod.metadata, labels, annotations }, spec });
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
    const status = { phase: 'Running', podIP: address, podIPs: [{ ip: address }], conditions };
    await this.api.apply({ ...pod, status }, { part: 'status' });
  }

  /** Tells a pod to end; as long as its node does not say that it has, it is there. */
  async terminatePod(name: string): Promise<void> {
    await this.api.remove(this.named('v1', 'Pod', name));
  }

  async removePod(name: string): Promise<void> {
    await this.api.remove(this.named('v1', 'Pod', name), 0);
  }

  /** The version of a pod. */
  async podVersion(name: string): Promise<string> {
    const { metadata } = await this.api.read(this.named('v1', 'Pod', name));
    return metadata.resourceVersion ?? '';
  }

  /** Sets what an account may do in this namespace. @returns a token of it */
  async access(account: string, rules: readonly AccessRule[]): Promise<string> {
    const rbac = 'rbac.authorization.k8s.io';
    await this.api.apply(this.named('v1', 'ServiceAccount', account));
    await this.api.apply({ ...this.named(`${rbac}/v1`, 'Role', account), rules });
    await this.api.apply({
      ...this.named(`${rbac}/v1`, 'RoleBinding', account),
      roleRef: { apiGroup: rbac, kind: 'Role', name: account },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: this.name }],
    });
    return this.api.accountToken(this.name, account);
  }

  private named(apiVersion: string, kind: string, name: string): KubernetesObject {
    return { apiVersion, kind, metadata: { name, namespace: this.name } };
  }
}
