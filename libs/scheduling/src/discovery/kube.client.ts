import type { KubeConfig } from '@kubernetes/client-node';
import { request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { RequestOptions } from 'node:https';

/** Objects of one kind in one namespace, narrowed by selectors as Kubernetes writes them. */
export interface KubeResource {
  /** Such as `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** One piece of a list. */
export interface KubePage {
  readonly items: readonly unknown[];
  /** Where a watch has to go on from. */
  readonly version: string;
  /** Asks for the next piece; undefined behind the last one. */
  readonly next: string | undefined;
}

/** The API server answered with another status than 200. */
export class KubeStatusError extends Error {
  constructor(
    readonly status: number,
    path: string,
    /** What the server says of it, such as the permission that is missing. */
    said?: string,
  ) {
    super(`Kubernetes answered ${status} for ${path}${said === undefined ? '' : `: ${said}`}`);
    this.name = 'KubeStatusError';
  }
}

/** Longest list of one piece: a few dozen pods are parsed well within the 10 ms for which the event loop may be held. */
const PAGE = 50;
/** Milliseconds without a byte in which a list has to go on. */
const LIST_IDLE = 30_000;

/**
 * Asks the API server. Addresses, certificates and tokens are those of the library's KubeConfig, which renews tokens. Its `Watch` is not
 * used: it cannot be stopped before the headers of the answer are there, drops lines that it cannot parse without a word, and opens a pool
 * of connections for every watch.
 */
export class KubeClient {
  constructor(private readonly config: KubeConfig) {}

  /** @throws KubeStatusError, or Error when the server cannot be reached */
  async list(resource: KubeResource, next: string | undefined, signal: AbortSignal): Promise<KubePage> {
    const query = { limit: String(PAGE), ...(next === undefined ? {} : { continue: next }) };
    const response = await this.get(resource, query, { idle: LIST_IDLE, signal });
    let text = '';
    // an encoding is set, so chunks are strings
    for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
    return pageOf(JSON.parse(text));
  }

  /**
   * Events from a version on, until the server ends the stream.
   * @param idle milliseconds without a byte that count as a broken connection
   * @throws KubeStatusError, SyntaxError, or Error for a connection that breaks
   */
  async *watch(
    resource: KubeResource,
    version: string,
    { idle, signal }: { readonly idle: number; readonly signal: AbortSignal },
  ): AsyncGenerator<unknown, void, undefined> {
    const query = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: version };
    const response = await this.get(resource, query, { idle, signal });
    let rest = '';
    // an encoding is set, so chunks are strings
    for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield JSON.parse(line);
    }
  }

  private async get(
    { path, labelSelector, fieldSelector }: KubeResource,
    query: Readonly<Record<string, string>>,
    { idle, signal }: { readonly idle: number; readonly signal: AbortSignal },
  ): Promise<IncomingMessage> {
    const cluster = this.config.getCurrentCluster();
    if (cluster === null) throw new Error('the kubeconfig has no current cluster');
    const url = new URL(cluster.server.replace(/\/$/, '') + path);
    const selectors = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
    for (const [name, value] of Object.entries({ ...query, ...selectors })) url.searchParams.set(name, value);
    const options: RequestOptions = { headers: { accept: 'application/json' }, signal };
    await this.config.applyToHTTPSOptions(options);
    const response = await answered(url, options, idle);
    if (response.statusCode === 200) return response;
    throw new KubeStatusError(response.statusCode ?? 0, path, await messageOf(response));
  }
}

function answered(url: URL, options: RequestOptions, idle: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'http:' ? requestHttp : requestHttps;
    const request = send(url, options, resolve);
    request.setTimeout(idle, () => request.destroy(new Error(`nothing came from Kubernetes for ${idle} ms`)));
    request.on('error', reject);
    request.end();
  });
}

/** Bytes of a refusal that are read; a Status is a few hundred. */
const MAX_STATUS = 4096;

/** `message` of the Status that a refusal is, where it is one. */
async function messageOf(response: IncomingMessage): Promise<string | undefined> {
  let text = '';
  try {
    // an encoding is set, so chunks are strings
    for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      if (text.length > MAX_STATUS) break;
    }
    const parsed: unknown = JSON.parse(text);
    const hasMessage = typeof parsed === 'object' && parsed !== null && 'message' in parsed;
    return hasMessage && typeof parsed.message === 'string' ? parsed.message : undefined;
  } catch {
    return undefined;
  }
}

function pageOf(parsed: unknown): KubePage {
  // the server's own schema; what is not there is undefined
  const { items, metadata } = parsed as { items?: unknown[]; metadata?: Record<string, unknown> };
  const { resourceVersion, continue: next } = metadata ?? {};
  if (!Array.isArray(items) || typeof resourceVersion !== 'string')
    throw new Error('Kubernetes sent something else than a list');
  return { items, version: resourceVersion, next: typeof next === 'string' && next !== '' ? next : undefined };
}
