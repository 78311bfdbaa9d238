import { fileURLToPath } from 'node:url';
import { NAMESPACE } from '../../integration/helm.chart.ts';
import type { KubernetesObject } from './kubernetes.api.ts';
import { KubernetesNamespace } from './kubernetes.namespace.ts';
import type { Labels } from './kubernetes.namespace.ts';
import { KubernetesServer } from './kubernetes.server.ts';

const POOL_DEFINITION = fileURLToPath(new URL('../../install/kubernetes/inferencepool.crd.yaml', import.meta.url));
/** What says who may see what, and which pods are served. */
const KINDS = ['ServiceAccount', 'Role', 'RoleBinding', 'InferencePool'];
/** A pod that has roles, and no label of a pool: nobody is to find it. */
export const STRANGER = '127.0.0.99';
/** The account that a controller makes in each namespace. */
const DEFAULT_ACCOUNT = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };

/** A real API server with the pools of the chart, and with its accounts and their rights, and no others. */
export class ChartCluster {
  private constructor(
    private readonly server: KubernetesServer,
    private readonly namespace: KubernetesNamespace,
  ) {}

  /** @param program what `ensureKubernetes` gave @param objects of the chart */
  static async start(program: string, objects: readonly KubernetesObject[]): Promise<ChartCluster> {
    const server = await KubernetesServer.start(program);
    try {
      const { api } = server;
      await api.define(POOL_DEFINITION);
      const namespace = await KubernetesNamespace.create(api, NAMESPACE);
      for (const object of [DEFAULT_ACCOUNT, ...objects.filter(({ kind }) => KINDS.includes(kind))]) {
        await api.apply({ ...object, metadata: { ...object.metadata, namespace: NAMESPACE } });
      }
      const cluster = new ChartCluster(server, namespace);
      await cluster.pod('stranger', STRANGER, { 'llm-d.ai/role': 'decode', role: 'decode' });
      return cluster;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** A pod that is ready. */
  pod(name: string, address: string, labels: Labels): Promise<void> {
    return this.namespace.pod(name, { address, labels });
  }

  /** The variable by which a program is a service account, which in a pod is a folder that is mounted. */
  async login(account: string): Promise<Readonly<Record<string, string>>> {
    return { KUBECONFIG: this.server.kubeconfig({ token: await this.server.api.accountToken(NAMESPACE, account) }) };
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
