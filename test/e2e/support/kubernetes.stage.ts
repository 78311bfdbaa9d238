import { afterAll, afterEach, beforeAll, beforeEach, describe } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { ensureKubernetes } from '../../install/kubernetes.mjs';
import { eventually } from './eventually.ts';
import { KubernetesNamespace } from './kubernetes.namespace.ts';
import type { AccessRule, PodState } from './kubernetes.namespace.ts';
import { KubernetesPicker } from './kubernetes.picker.ts';
import { KubernetesRelay } from './kubernetes.relay.ts';
import { KubernetesServer } from './kubernetes.server.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const POOL_DEFINITION = fileURLToPath(new URL('../../install/kubernetes/inferencepool.crd.yaml', import.meta.url));
const VERBS = ['get', 'list', 'watch'];

export const POOL = '--pool-name=vllm';
export const LABELS = { app: 'vllm' };
/** Envoy's name of 503. */
export const UNAVAILABLE = 'ServiceUnavailable';
export const SEE_POOLS: AccessRule = {
  apiGroups: ['inference.networking.k8s.io'],
  resources: ['inferencepools'],
  verbs: VERBS,
};
export const SEE_PODS: AccessRule = { apiGroups: [''], resources: ['pods'], verbs: VERBS };
export const SEE_BOTH = [SEE_POOLS, SEE_PODS];

const program = await ensureKubernetes();
if (program === undefined)
  process.stdout.write('SKIPPED: nothing is tried with a real API server of Kubernetes, since there is none.\n');

/** `describe`, where there is an API server. */
export const withKubernetes = program === undefined ? describe.skip : describe;

export interface PickerLogin {
  readonly flags?: readonly string[];
  /** What its account may do; default: all that it needs. */
  readonly rules?: readonly AccessRule[];
  /** In the place of its account's. */
  readonly token?: string;
  /** Default: the server itself. */
  readonly url?: string;
}

/** One API server for a suite, and for each test a namespace, in which there is nothing. */
export class KubernetesStage {
  private running: { readonly server: KubernetesServer; readonly folder: TemporaryFolder } | undefined;
  private own: KubernetesNamespace | undefined;
  private count = 0;
  private readonly closing: (() => Promise<void>)[] = [];

  /** Registers what a suite does before and after its tests. */
  static use(): KubernetesStage {
    const stage = new KubernetesStage();
    beforeAll(() => stage.begin());
    beforeEach(() => stage.enter());
    afterEach(() => stage.leave());
    afterAll(() => stage.end());
    return stage;
  }

  get server(): KubernetesServer {
    if (this.running === undefined) throw new Error('the suite has not begun');
    return this.running.server;
  }

  get namespace(): KubernetesNamespace {
    if (this.own === undefined) throw new Error('no test has begun');
    return this.own;
  }

  /** A pod of the pool, ready where it is not said otherwise. */
  pod(name: string, address: string, more: Partial<PodState> = {}): Promise<void> {
    return this.namespace.pod(name, { address, labels: LABELS, ...more });
  }

  /** A picker that ends with the test. */
  async picker({ flags = [POOL], rules = SEE_BOTH, token, url }: PickerLogin = {}): Promise<KubernetesPicker> {
    const given = token ?? (await this.namespace.access('picker', rules));
    const kubeconfig = this.server.kubeconfig({ token: given, ...(url === undefined ? {} : { url }) });
    const all = [...flags, `--pool-namespace=${this.namespace.name}`];
    if (this.running === undefined) throw new Error('the suite has not begun');
    const picker = await KubernetesPicker.start(kubeconfig, all, this.running.folder);
    this.closing.push(() => picker.process.stop());
    return picker;
  }

  /** A network of the test's own to the server. */
  async relay(): Promise<KubernetesRelay> {
    const relay = await KubernetesRelay.open(this.server.port);
    this.closing.push(() => relay.close());
    return relay;
  }

  private async begin(): Promise<void> {
    const server = await KubernetesServer.start(program ?? '');
    this.running = { server, folder: new TemporaryFolder() };
    await server.api.define(POOL_DEFINITION);
  }

  private async enter(): Promise<void> {
    this.own = await KubernetesNamespace.create(this.server.api, `test-${++this.count}`);
  }

  private async leave(): Promise<void> {
    for (const close of this.closing.splice(0).toReversed()) await close();
  }

  private async end(): Promise<void> {
    await this.running?.server.stop();
    this.running?.folder.remove();
  }
}

/** Done when the picker knows these endpoints, by `address:port` in order, and no others. */
export function sees(picker: KubernetesPicker, ...endpoints: readonly string[]): Promise<void> {
  return eventually(async () => (await picker.endpoints()).join() === endpoints.join());
}
