import { afterAll, beforeAll, describe } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { KubernetesApi, KubernetesObject } from '../e2e/support/kubernetes.api.ts';
import { KubernetesServer } from '../e2e/support/kubernetes.server.ts';
import { ensureGoModule } from '../install/go-program.mjs';
import { ensureKubernetes } from '../install/kubernetes.mjs';
import type { ManifestPod } from './manifests.ts';

/** Go modules with the definitions of kinds that Kubernetes does not have by itself. */
const DEFINITIONS = {
  'sigs.k8s.io/gateway-api@v1.4.1': ['gateways', 'httproutes'].map(
    (kind) => `config/crd/standard/gateway.networking.k8s.io_${kind}.yaml`,
  ),
  'sigs.k8s.io/gateway-api-inference-extension@v1.1.0': [
    'config/crd/bases/inference.networking.k8s.io_inferencepools.yaml',
  ],
  'github.com/prometheus-operator/prometheus-operator@v0.85.0': [
    'podmonitors',
    'prometheusrules',
    'servicemonitors',
  ].map((kind) => `example/prometheus-operator-crd/monitoring.coreos.com_${kind}.yaml`),
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const program = await ensureKubernetes(print);
const files = Object.entries(DEFINITIONS).map(([module, paths]) => {
  const folder = ensureGoModule(module, print);
  return folder === undefined ? undefined : paths.map((path) => `${folder}/${path}`);
});
const isComplete = program !== undefined && files.every((some) => some !== undefined);
if (!isComplete)
  print('SKIPPED: no manifest is shown to a real API server of Kubernetes, since it or a definition is not there.');

/** `describe`, where there is an API server with all definitions. */
export const withServer = isComplete ? describe : describe.skip;

/** An API server with all kinds that manifests have, and a namespace in which the restricted Pod Security Standard is enforced. */
export class ManifestServer {
  private running: KubernetesServer | undefined;

  private constructor(private readonly namespace: string) {}

  /** Registers what a suite does before and after its tests. */
  static use(namespace: string): ManifestServer {
    const server = new ManifestServer(namespace);
    beforeAll(() => server.begin());
    afterAll(() => server.running?.stop());
    return server;
  }

  /** A server-side dry run: validation, defaults and admission, and nothing is stored. @throws KubernetesRefusal */
  accept(object: KubernetesObject): Promise<KubernetesObject> {
    return this.api.apply(this.placed(object), { isDryRun: true });
  }

  /** The same for the pod that a controller would make. @throws KubernetesRefusal */
  acceptPod({ metadata, spec }: ManifestPod): Promise<KubernetesObject> {
    return this.accept({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'pod' }, spec });
  }

  /** A file by which a client is the one that may do everything. */
  kubeconfig(): string {
    const { running } = this;
    if (running === undefined) throw new Error('the suite has not begun');
    return running.kubeconfig({ token: running.token });
  }

  /** What is stored, by its kind, name and API version. @throws KubernetesRefusal where there is none */
  read(apiVersion: string, kind: string, name: string): Promise<KubernetesObject> {
    return this.api.read(this.placed({ apiVersion, kind, metadata: { name } }));
  }

  /** Sets the number of replicas of a Deployment, as an autoscaler does. */
  async scale(name: string, replicas: number): Promise<void> {
    const { namespace } = this;
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/scale?fieldManager=autoscaler&force=true`;
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name, namespace }, spec: { replicas } };
    const { status, body } = await this.api.ask('PATCH', path, scale);
    if (status >= 300) throw new Error(`the API server answered ${status} to a scale of ${name}: ${body}`);
  }

  private get api(): KubernetesApi {
    if (this.running === undefined) throw new Error('the suite has not begun');
    return this.running.api;
  }

  private placed(object: KubernetesObject): KubernetesObject {
    return { ...object, metadata: { ...object.metadata, namespace: this.namespace } };
  }

  private async begin(): Promise<void> {
    this.running = await KubernetesServer.start(program ?? '');
    for (const file of files.flatMap((some) => some ?? [])) {
      // a definition without a word is none
      if (readFileSync(file, 'utf8').trim() !== '') await this.api.define(file);
    }
    const labels = {
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/enforce-version': 'latest',
    };
    await this.api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace, labels } });
  }
}
