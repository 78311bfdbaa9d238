import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { parseAllDocuments } from 'yaml';
import { eventually } from './eventually.ts';

/** An object of any kind, or enough of one to name it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface KubernetesAnswer {
  readonly status: number;
  readonly body: string;
}

/** The API server did not do what it was asked for; the message is the server's own. */
export class KubernetesRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(`the API server answered ${status}: ${message}`);
    this.name = 'KubernetesRefusal';
  }
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface DefinitionSpec {
  readonly group: string;
  readonly names: { readonly plural: string };
  readonly versions: readonly { readonly name: string; readonly served: boolean }[];
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * Kinds and versions are whatever the server has. The library's own `KubernetesObjectApi` is not used: it leaves out what its classes do
 * not know before it sends an object, so that a server could not refuse it.
 */
export class KubernetesApi {
  private readonly agent: Agent;

  constructor(
    private readonly url: string,
    private readonly token: string,
    ca: string,
  ) {
    this.agent = new Agent({ connect: { ca } });
  }

  /**
   * Server-side apply: makes an object, or makes it what is given; fields given before and left out are taken away.
   * @param options.isDryRun with everything but storing it
   * @param options.part such as `status`
   * @returns the object with all defaults
   * @throws KubernetesRefusal, for unknown fields too
   */
  apply(
    object: KubernetesObject,
    { isDryRun = false, part }: { readonly isDryRun?: boolean; readonly part?: string } = {},
  ): Promise<KubernetesObject> {
    const query = `fieldManager=tests&force=true&fieldValidation=Strict${isDryRun ? '&dryRun=All' : ''}`;
    return this.told('PATCH', object, part === undefined ? `?${query}` : `/${part}?${query}`, object);
  }

  /** Applies all objects of a YAML file, in their order. */
  async applyFile(file: string, options: { readonly isDryRun?: boolean } = {}): Promise<void> {
    for (const object of objectsOf(readFileSync(file, 'utf8'))) await this.apply(object, options);
  }

  /** Adds kinds of objects and waits until they are served. @param file of CustomResourceDefinitions */
  async define(file: string): Promise<void> {
    await this.applyFile(file);
    const definitions = objectsOf(readFileSync(file, 'utf8'));
    await eventually(async () => {
      const served = await Promise.all(definitions.map((definition) => this.isServed(definition)));
      return served.every(Boolean);
    });
  }

  read(named: KubernetesObject): Promise<KubernetesObject> {
    return this.told('GET', named, '');
  }

  /** @param grace seconds that a pod on a node has to end itself; with 0 it is gone at once */
  async remove(named: KubernetesObject, grace?: number): Promise<void> {
    await this.told('DELETE', named, grace === undefined ? '' : `?gracePeriodSeconds=${grace}`);
  }

  /** A token of a service account, as a pod is given it. */
  async accountToken(namespace: string, name: string): Promise<string> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const { status } = objectIn(await this.ask('POST', path, body));
    // the server's own schema
    return (status as { token: string }).token;
  }

  async ask(method: Method, path: string, body?: object): Promise<KubernetesAnswer> {
    const type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
    const answer = await request(`${this.url}${path}`, {
      method,
      dispatcher: this.agent,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, body: await answer.body.text() };
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async told(method: Method, named: KubernetesObject, rest: string, body?: object): Promise<KubernetesObject> {
    return objectIn(await this.ask(method, `${await this.path(named)}${rest}`, body));
  }

  /** Where an object is. @throws Error where the server has no such kind */
  private async path({ apiVersion, kind, metadata: { name, namespace } }: KubernetesObject): Promise<string> {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const { resources } = objectIn(await this.ask('GET', root));
    // as discovery documents it; those with a slash are parts of others
    const known = (resources as readonly Resource[]).find((one) => one.kind === kind && !one.name.includes('/'));
    if (known === undefined) throw new Error(`the API server has no ${kind} of ${apiVersion}`);
    const place = known.namespaced ? `/namespaces/${namespace ?? 'default'}` : '';
    return `${root}${place}/${known.name}/${name}`;
  }

  private async isServed({ spec }: KubernetesObject): Promise<boolean> {
    // a CustomResourceDefinition, which the server has taken
    const { group, names, versions } = spec as DefinitionSpec;
    const paths = versions.filter(({ served }) => served).map(({ name }) => `/apis/${group}/${name}/${names.plural}`);
    const answers = await Promise.all(paths.map((path) => this.ask('GET', path)));
    return answers.every(({ status }) => status === 200);
  }
}

function objectsOf(yaml: string): readonly KubernetesObject[] {
  // a manifest, which the server checks
  return parseAllDocuments(yaml).map((document) => document.toJS() as KubernetesObject);
}

function objectIn({ status, body }: KubernetesAnswer): KubernetesObject {
  // an object of the server's, or its account of why not
  const parsed = JSON.parse(body) as KubernetesObject & { message?: string };
  if (status >= 300) throw new KubernetesRefusal(status, parsed.message ?? body);
  return parsed;
}
