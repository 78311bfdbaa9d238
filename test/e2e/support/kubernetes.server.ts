import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { freePort } from './free-port.ts';
import { KubernetesApi } from './kubernetes.api.ts';
import { ProgramProcess } from './program.process.ts';
import { TemporaryFolder } from './temporary-folder.ts';

/** What a client needs to be one. */
export interface KubernetesLogin {
  /** Default: the server itself. */
  readonly url?: string;
  readonly token: string;
}

/**
 * A real API server with its etcd. Nothing runs pods or fills in what controllers do: a namespace has no service account of its own, what
 * an object owns stays when it goes, and a pod is what a test says of it.
 */
export class KubernetesServer {
  readonly url: string;
  /** As the one that may do everything. */
  readonly api: KubernetesApi;
  private process: ProgramProcess | undefined;

  private constructor(
    private readonly command: readonly string[],
    private readonly folder: TemporaryFolder,
    readonly port: number,
    private readonly etcdUrl: string,
    /** Of the one that may do everything. */
    readonly token: string,
    /** By which it is known, as PEM. */
    readonly certificate: string,
  ) {
    this.url = `https://127.0.0.1:${port}`;
    this.api = new KubernetesApi(this.url, token, certificate);
  }

  /**
   * Starts it and waits until it is ready, which takes some seconds.
   * @param program what `ensureKubernetes` gave
   * @param flags of kube-apiserver, beside those that are needed
   */
  static async start(program: string, flags: readonly string[] = []): Promise<KubernetesServer> {
    const folder = new TemporaryFolder();
    const [port, etcdPort] = [await freePort(), await freePort()];
    const token = randomBytes(16).toString('hex');
    const pair = await keyPair();
    const own = serverFlags(folder, { port, token, pair });
    const command = [
      program,
      '-data',
      join(folder.path, 'etcd'),
      '-etcd-port',
      String(etcdPort),
      '--',
      ...own,
      ...flags,
    ];
    const server = new KubernetesServer(command, folder, port, `http://127.0.0.1:${etcdPort}`, token, pair.cert);
    try {
      await server.run();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Writes a kubeconfig. @returns its path */
  kubeconfig({ url = this.url, token }: KubernetesLogin): string {
    const authority = Buffer.from(this.certificate).toString('base64');
    return this.folder.write(`${randomBytes(4).toString('hex')}.kubeconfig`, {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
      clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': authority } }],
      users: [{ name: 'test', user: { token } }],
    });
  }

  /** Ends it as a machine that fails does. */
  async kill(): Promise<void> {
    this.process?.signal('SIGKILL');
    await this.process?.ended;
    this.process = undefined;
  }

  /** Starts it anew where it was, with what it had stored, and waits until it is ready. */
  async run(): Promise<void> {
    const server = new ProgramProcess('the API server', this.command);
    this.process = server;
    await server.until(() => this.isReady());
  }

  /** Has etcd forget everything but the present state. */
  async compact(): Promise<void> {
    const { header } = await this.etcd<{ header: { revision: string } }>('range', { key: 'AA==' });
    await this.etcd('compaction', { revision: header.revision, physical: true });
  }

  async stop(): Promise<void> {
    await this.kill();
    await this.api.close();
    this.folder.remove();
  }

  private async isReady(): Promise<boolean> {
    const answer = await this.api.ask('GET', '/readyz').catch(() => undefined);
    return answer?.status === 200;
  }

  private async etcd<Answer>(method: string, body: object): Promise<Answer> {
    const answer = await fetch(`${this.etcdUrl}/v3/kv/${method}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd answered ${answer.status} to ${method}`);
    // as etcd's gateway for JSON documents it
    return (await answer.json()) as Answer;
  }
}

interface KeyPair {
  readonly cert: string;
  readonly private: string;
}

function keyPair(): Promise<KeyPair> {
  return generate([{ name: 'commonName', value: 'kubernetes' }], {
    algorithm: 'sha256',
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
}

function serverFlags(
  folder: TemporaryFolder,
  { port, token, pair }: { readonly port: number; readonly token: string; readonly pair: KeyPair },
): readonly string[] {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const accountKey = folder.write('accounts.key', privateKey.export({ type: 'sec1', format: 'pem' }));
  return [
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    `--tls-cert-file=${folder.write('server.crt', pair.cert)}`,
    `--tls-private-key-file=${folder.write('server.key', pair.private)}`,
    '--authorization-mode=RBAC',
    `--token-auth-file=${folder.write('tokens.csv', `${token},admin,admin,system:masters\n`)}`,
    '--service-account-issuer=https://kubernetes.test',
    `--service-account-key-file=${accountKey}`,
    `--service-account-signing-key-file=${accountKey}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    // it would have a pod wait for the account that a controller gives to each namespace
    '--disable-admission-plugins=ServiceAccount',
    '--endpoint-reconciler-type=none',
  ];
}
