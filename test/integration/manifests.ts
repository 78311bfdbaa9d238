import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import type { KubernetesObject } from '../e2e/support/kubernetes.api.ts';

const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  env: z.array(z.looseObject({ name: z.string() })).default([]),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
});
const podSpec = z.looseObject({
  initContainers: z.array(container).default([]),
  containers: z.array(container),
  terminationGracePeriodSeconds: z.int().optional(),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
});
const withTemplate = z.looseObject({
  spec: z.looseObject({ template: z.looseObject({ metadata: z.looseObject({}), spec: podSpec }) }),
});

export type Container = z.output<typeof container>;
export type PodSpec = z.output<typeof podSpec>;

/** A pod as a manifest has it, and the object in which it stands. */
export interface ManifestPod {
  readonly of: string;
  readonly metadata: object;
  readonly spec: PodSpec;
}

/** All objects of a text of several YAML documents; empty ones are left out. @throws Error where it is no YAML, or has a key twice */
export function objectsIn(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    // a manifest, which the tests check
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });
}

/** `Kind/name` of an object. */
export function titleOf({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata.name}`;
}

/** The pods that objects would have: those that are pods, and those of Deployments. */
export function podsOf(objects: readonly KubernetesObject[]): readonly ManifestPod[] {
  return objects.flatMap((object) => {
    const of = titleOf(object);
    if (object.kind === 'Pod') return [{ of, metadata: object.metadata, spec: podSpec.parse(object['spec']) }];
    if (object.kind !== 'Deployment') return [];
    return [{ of, ...withTemplate.parse(object).spec.template }];
  });
}

/** @throws Error where there is none, or there are several */
export function only(objects: readonly KubernetesObject[], kind: string, name?: string): KubernetesObject {
  const found = objects.filter(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  );
  const [first, ...rest] = found;
  if (first === undefined || rest.length > 0) throw new Error(`${found.length} objects are ${kind}/${name ?? '*'}`);
  return first;
}

/** Values of a ConfigMap, by key. */
export function dataOf(object: KubernetesObject): Readonly<Record<string, string>> {
  return z.record(z.string(), z.string()).parse(object['data']);
}
