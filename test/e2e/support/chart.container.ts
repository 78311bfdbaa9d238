import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePods } from '../../integration/decode-pod.ts';
import { dataOf, only, podsOf } from '../../integration/manifests.ts';
import type { Container, ManifestPod } from '../../integration/manifests.ts';
import { builtApp } from './coordinator.process.ts';
import type { KubernetesObject } from './kubernetes.api.ts';

/** Built apps, by the last part of their images' names. */
const APPS: Readonly<Record<string, App>> = {
  'inference-coordinator': 'coordinator',
  'inference-endpoint-picker': 'epp',
  'inference-decode-sidecar': 'sidecar',
  'inference-async-worker': 'async-worker',
};

export type App = 'coordinator' | 'epp' | 'sidecar' | 'async-worker';

/** A container of a program of ours, as the chart has it. */
export interface ChartContainer {
  readonly app: App;
  /** `Deployment/name` of its pod. */
  readonly of: string;
  readonly container: Container;
  /** Whether it looks at a configuration and ends. */
  readonly isCheck: boolean;
  /** Texts of the files that it mounts, by their paths. */
  readonly files: ReadonlyMap<string, string>;
  readonly account: string;
}

/** What is different on a machine without a cluster. */
export interface Differences {
  /** Ports of this machine, by those of the chart, for flags that name one. */
  readonly ports?: ReadonlyMap<number, number>;
  /** Flags that win over what a file says. */
  readonly flags?: Readonly<Record<string, number>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Address that the kubelet says of the pod. */
  readonly podIp?: string;
}

/** A container as a command of this machine. */
export interface ChartCommand {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What is not as the chart has it: its own arguments in its words, what is added by its name. */
  readonly changed: readonly string[];
}

/** All containers of programs of ours: of Deployments, of `helm test`, and of a decode pod that is patched. */
export function chartContainers(objects: readonly KubernetesObject[]): readonly ChartContainer[] {
  return [...podsOf(objects), ...decodePods(objects)].flatMap((pod) =>
    [...pod.spec.initContainers, ...pod.spec.containers].flatMap((container) => {
      const app = APPS[container.image.split('/').at(-1)?.split(/[:@]/)[0] ?? ''];
      if (app === undefined) return [];
      const isCheck = container.args.includes('--check');
      // as Kubernetes has it
      const account = (pod.spec['serviceAccountName'] as string | undefined) ?? 'default';
      return [{ app, of: pod.of, container, isCheck, files: filesOf(container, pod, objects), account }];
    }),
  );
}

/** Writes the files of a container below a folder, which stands for its root, and says how it is started with them. */
export function chartCommand(
  { app, container, files }: ChartContainer,
  root: string,
  { ports = new Map(), flags = {}, env = {}, podIp = '127.0.0.1' }: Differences = {},
): ChartCommand {
  for (const [path, text] of files) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const args = container.args.map((arg) => withPort(withPath(arg, files, root), ports));
  const added = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  return {
    command: [...builtApp(app), ...args, ...added],
    env: { ...variablesOf(container, podIp), ...env },
    changed: [
      ...container.args.filter((arg, i) => arg !== args[i]),
      ...Object.keys(flags).map((flag) => `--${flag}`),
      ...Object.keys(env),
    ],
  };
}

function filesOf(container: Container, { spec }: ManifestPod, objects: readonly KubernetesObject[]) {
  const files = new Map<string, string>();
  for (const { name, mountPath } of container.volumeMounts) {
    const volume = spec.volumes.find((each) => each.name === name);
    // as Kubernetes has it; the default values have no other kind
    const { name: source } = volume?.['configMap'] as { name: string };
    for (const [file, text] of Object.entries(dataOf(only(objects, 'ConfigMap', source)))) {
      files.set(`${mountPath}/${file}`, text);
    }
  }
  return files;
}

function withPath(arg: string, files: ReadonlyMap<string, string>, root: string): string {
  const path = [...files.keys()].find((each) => arg.endsWith(each));
  return path === undefined ? arg : arg.slice(0, -path.length) + join(root, path);
}

function withPort(arg: string, ports: ReadonlyMap<number, number>): string {
  return arg.replace(/^(--\S+-port=)(\d+)$/, (_, flag: string, port: string) => {
    return `${flag}${ports.get(Number(port)) ?? port}`;
  });
}

function variablesOf({ env }: Container, podIp: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    env.map((variable) => {
      // as Kubernetes has it
      const { name, value, valueFrom } = variable as {
        name: string;
        value?: string;
        valueFrom?: { fieldRef: { fieldPath: string } };
      };
      const field = valueFrom?.fieldRef.fieldPath;
      if (field !== undefined && field !== 'status.podIP') throw new Error(`${name} is ${field}, which is not known`);
      return [name, field === undefined ? (value ?? '') : podIp];
    }),
  );
}
