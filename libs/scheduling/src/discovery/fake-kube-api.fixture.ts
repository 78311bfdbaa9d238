import type { KubeConfig } from '@kubernetes/client-node';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A watch that a client has open. */
export interface OpenWatch {
  readonly query: URLSearchParams;
  /** One event, as a line. */
  send(type: string, object: unknown): void;
  /** Bytes as they are. */
  write(text: string): void;
  /** As the server ends a watch that is old. */
  end(): void;
  /** As a connection breaks. */
  drop(): void;
  readonly closed: Promise<void>;
}

export interface KubeObject {
  readonly metadata: { readonly name: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

type Handler = (query: URLSearchParams, response: ServerResponse) => void;

/** One kind of objects, as an API server has it. */
export class FakeKind {
  objects: KubeObject[] = [];
  version = '1';
  /** Answers that take the place of the next lists and watches, one each. */
  readonly nextLists: Handler[] = [];
  readonly nextWatches: Handler[] = [];
  readonly lists: URLSearchParams[] = [];
  readonly watches: OpenWatch[] = [];
  private waiting: (() => void)[] = [];

  /** The watch with that number, from 0; done when it is open. */
  async watch(number: number): Promise<OpenWatch> {
    for (;;) {
      const watch = this.watches[number];
      if (watch !== undefined) return watch;
      await this.request();
    }
  }

  /** Done when so many lists were asked for. */
  async listed(count: number): Promise<void> {
    while (this.lists.length < count) await this.request();
  }

  answer(query: URLSearchParams, response: ServerResponse): void {
    const isWatch = query.get('watch') === 'true';
    if (!isWatch) this.lists.push(query);
    const scripted = (isWatch ? this.nextWatches : this.nextLists).shift();
    if (scripted !== undefined) scripted(query, response);
    else if (isWatch) this.watches.push(openWatch(query, response));
    else this.list(query, response);
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private list(query: URLSearchParams, response: ServerResponse): void {
    const from = Number(query.get('continue') ?? 0);
    const to = from + Number(query.get('limit'));
    const metadata = { resourceVersion: this.version, continue: to < this.objects.length ? String(to) : '' };
    response.end(JSON.stringify({ kind: 'List', metadata, items: this.objects.slice(from, to) }));
  }

  private request(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

/** An API server on loopback that has pods and pools, lists them, and plays what watches a test wants. */
export class FakeKubeApi {
  readonly pods = new FakeKind();
  readonly pools = new FakeKind();
  /** Undefined where the cluster does not know the kind. */
  objectives: FakeKind | undefined;
  readonly headers: IncomingMessage['headers'][] = [];
  readonly paths: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeKubeApi> {
    const server = createServer();
    const api = new FakeKubeApi(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      api.headers.push(request.headers);
      const url = new URL(request.url ?? '', 'http://fake');
      api.paths.push(url.pathname);
      const kinds: Readonly<Record<string, FakeKind | undefined>> = {
        pods: api.pods,
        inferencepools: api.pools,
        inferenceobjectives: api.objectives,
      };
      const kind = kinds[url.pathname.split('/').at(-1) ?? ''];
      if (kind === undefined) response.writeHead(404).end();
      else kind.answer(url.searchParams, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  /** Has a token, and leads here. */
  async config(): Promise<KubeConfig> {
    const { KubeConfig: Config } = await import('@kubernetes/client-node');
    // a server that listens on a port has an address of this kind
    const { port } = this.server.address() as AddressInfo;
    const config = new Config();
    config.loadFromClusterAndUser(
      { name: 'fake', server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
      { name: 'me', token: 'secret' },
    );
    return config;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A pod that is ready, but for what is said. */
export function aPod(name: string, address: string, changes: { ready?: string; metadata?: object } = {}): KubeObject {
  return {
    metadata: { name, namespace: 'ns', labels: { app: 'vllm' }, resourceVersion: '1', ...changes.metadata },
    status: { phase: 'Running', podIP: address, conditions: [{ type: 'Ready', status: changes.ready ?? 'True' }] },
  };
}

/** An objective with a priority, for a pool or for none in particular. */
export function anObjective(name: string, priority: number | undefined, pool?: string): KubeObject {
  const poolRef = pool === undefined ? {} : { poolRef: { name: pool } };
  return {
    metadata: { name, resourceVersion: '1' },
    spec: { ...(priority === undefined ? {} : { priority }), ...poolRef },
  };
}

/** A pool that selects pods of that app. */
export function aPool(app: string, ports: readonly number[], metadata: object = {}): KubeObject {
  return {
    metadata: { name: 'pool', namespace: 'ns', resourceVersion: '1', ...metadata },
    spec: { selector: { matchLabels: { app } }, targetPorts: ports.map((number) => ({ number })) },
  };
}

export function status(code: number, message?: string): Handler {
  return (_query, response) => void response.writeHead(code).end(JSON.stringify({ kind: 'Status', code, message }));
}

function openWatch(query: URLSearchParams, response: ServerResponse): OpenWatch {
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  return {
    query,
    send: (type, object) => response.write(`${JSON.stringify({ type, object })}\n`),
    write: (text) => response.write(text),
    end: () => response.end(),
    drop: () => response.destroy(),
    closed: new Promise((resolve) => response.once('close', resolve)),
  };
}
