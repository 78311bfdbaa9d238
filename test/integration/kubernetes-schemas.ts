import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { KubernetesObject } from '../e2e/support/kubernetes.api.ts';
import { ensureGoModule } from '../install/go-program.mjs';

/** The last release of each version that the manifests are for, as a Go module: it has the API's own OpenAPI document. */
const RELEASES = ['v1.33.13', 'v1.34.4', 'v1.35.4', 'v1.36.3'];
/** Of objects that Kubernetes itself has; others have definitions of their own, which an API server reads. */
const OWN_GROUPS = /^(apps|autoscaling|policy|v1|networking\.k8s\.io|rbac\.authorization\.k8s\.io)\b/;
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';

const kinds = z.array(z.object({ group: z.string(), kind: z.string(), version: z.string() }));
const definitions = z.object({ definitions: z.record(z.string(), z.looseObject({})) });

type Node = Readonly<Record<string, unknown>>;

/** What is wrong with an object, by path; undefined for one of a kind that is not of Kubernetes itself. */
export type Fault = (object: KubernetesObject) => string | undefined;

/** How objects are checked against each version of Kubernetes, strictly: an unknown field is a fault. Versions that cannot be had are left out. */
export function kubernetesSchemas(): readonly (readonly [version: string, fault: Fault])[] {
  return RELEASES.flatMap((release) => {
    const folder = ensureGoModule(`k8s.io/kubernetes@${release}`, (line) => {
      process.stdout.write(`SKIPPED: manifests are not checked for Kubernetes ${release}: ${line}\n`);
    });
    return folder === undefined ? [] : [[release, faultsOf(`${folder}/api/openapi-spec/swagger.json`)]];
  });
}

function faultsOf(file: string): Fault {
  const { definitions: all } = definitions.parse(JSON.parse(readFileSync(file, 'utf8')));
  const known = new Map<string, z.ZodType>();
  return (object) => {
    const { apiVersion, kind } = object;
    if (!OWN_GROUPS.test(apiVersion)) return undefined;
    const title = `${apiVersion} ${kind}`;
    const schema = known.get(title) ?? schemaOf(all, apiVersion, kind);
    known.set(title, schema);
    const { error } = schema.safeParse(object);
    return error === undefined ? undefined : z.prettifyError(error);
  };
}

function schemaOf(all: Readonly<Record<string, Node>>, apiVersion: string, kind: string): z.ZodType {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const root = Object.keys(all).find((name) =>
    (kinds.safeParse(all[name]?.['x-kubernetes-group-version-kind']).data ?? []).some(
      (one) => one.group === group && one.version === version && one.kind === kind,
    ),
  );
  if (root === undefined) throw new Error(`Kubernetes has no ${kind} of ${apiVersion}`);
  const $defs: Record<string, Node> = { [QUANTITY]: { type: ['string', 'number'] } };
  const need = (name: string): void => {
    if (name in $defs) return;
    // there before what it refers to, which may be itself
    $defs[name] = {};
    $defs[name] = strict(all[name] ?? {}, need);
  };
  need(root);
  return z.fromJSONSchema({ $ref: `#/$defs/${root}`, $defs });
}

/** A node with what is checked of it. */
function strict(node: Node, need: (name: string) => void): Node {
  const { $ref, format, type, required, properties, items, enum: options, additionalProperties: values } = node;
  if (typeof $ref === 'string') {
    const name = $ref.replace('#/definitions/', '');
    need(name);
    return { $ref: `#/$defs/${name}` };
  }
  if (format === 'int-or-string') return { type: ['string', 'integer'] };
  const inner = (child: unknown): Node => strict(z.looseObject({}).parse(child), need);
  return {
    ...(type !== undefined && { type }),
    ...(options !== undefined && { enum: options }),
    ...(required !== undefined && { required }),
    ...(items !== undefined && { items: inner(items) }),
    ...(values !== undefined && { additionalProperties: inner(values) }),
    ...(properties !== undefined && { ...fieldsOf(properties, inner), additionalProperties: false }),
  };
}

function fieldsOf(properties: unknown, inner: (child: unknown) => Node): Node {
  const fields = Object.entries(z.looseObject({}).parse(properties)).map(([name, field]) => [name, inner(field)]);
  return { type: 'object', properties: Object.fromEntries(fields) as Node };
}
