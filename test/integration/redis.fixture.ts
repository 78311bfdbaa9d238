import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createClient } from 'redis';
import { freePort } from '../e2e/support/free-port.ts';
import { TemporaryFolder } from '../e2e/support/temporary-folder.ts';
import { ensureRedis } from '../install/redis.mjs';

/** Tells of lists, which is what the broker listens for. */
const NOTIFYING = ['--notify-keyspace-events', 'Kl'];
/** Milliseconds that a server may take to answer. */
const PATIENCE = 20_000;

/** How a server of Redis is started. */
export interface RedisServerOptions {
  /** Further arguments. */
  readonly args?: readonly string[];
  /** Of a sentinel: written into its folder beforehand, and given to it as its configuration. */
  readonly file?: string;
  /** Arguments of a server that speaks TLS only. */
  readonly tls?: readonly string[];
  readonly port?: number;
}

/** A real Redis on a port of its own, with a folder of its own, which keeps what it was told across a restart. */
export class RedisServer {
  private process: ChildProcess | undefined;
  readonly folder = new TemporaryFolder();

  private constructor(
    private readonly program: string,
    readonly port: number,
    private readonly options: RedisServerOptions,
  ) {}

  /** @throws Error where Redis can be neither found nor installed */
  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const program = await ensureRedis();
    if (program === undefined) throw new Error('there is no redis-server');
    const server = new RedisServer(program, options.port ?? (await freePort()), options);
    await server.run();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it again on the same port. */
  async run(): Promise<void> {
    this.process = spawn(this.program, this.arguments(), { stdio: ['ignore', 'pipe', 'inherit'] });
    // unread, a full pipe would hold the server
    this.process.stdout?.resume();
    await listening(this.port);
  }

  private arguments(): readonly string[] {
    const { file, tls, args = NOTIFYING } = this.options;
    if (file !== undefined) return [this.folder.write('sentinel.conf', file), '--sentinel'];
    const port =
      tls === undefined ? ['--port', String(this.port)] : ['--port', '0', '--tls-port', String(this.port), ...tls];
    return [...port, '--bind', '127.0.0.1', '--dir', this.folder.path, '--appendonly', 'yes', ...args];
  }

  /** A client of a server that speaks TLS. */
  async client(options: { database: number; ca: string; password: string }) {
    const { database, password, ca } = options;
    const socket = { host: 'localhost', port: this.port, tls: true as const, ca: readFileSync(ca) };
    return connected(createClient({ RESP: 2, database, password, socket }));
  }

  /** Ends it at once; what it has not answered for is gone. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const running = this.process;
    this.process = undefined;
    if (running === undefined) return;
    running.kill('SIGCONT');
    running.kill(signal);
    if (running.exitCode === null && running.signalCode === null) await once(running, 'exit');
  }

  /** It keeps its connections, and says nothing. */
  freeze(): void {
    this.process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.process?.kill('SIGCONT');
  }

  async close(): Promise<void> {
    await this.stop();
    this.folder.remove();
  }
}

/** A client of the test's own. */
export async function redisClient(url: string) {
  return connected(createClient({ url, RESP: 2 }));
}

/** What a client of any kind has. */
interface Connectable {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
}

async function connected<Client extends Connectable>(client: Client): Promise<Client> {
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export type TestRedis = Awaited<ReturnType<typeof redisClient>>;

async function listening(port: number): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    const socket = connect({ host: '127.0.0.1', port });
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.on('error', () => undefined).destroy();
    if (isOpen) return;
    if (performance.now() > deadline) throw new Error(`nobody listens on ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
