import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { coordinatorConfig } from './coordinator-config.ts';
import { CoordinatorProcess, statusOf } from './coordinator.process.ts';
import { EnvoyProcess } from './envoy.process.ts';
import { freePort } from './free-port.ts';
import { metricOf } from './picker-metrics.ts';
import { TemporaryFolder } from './temporary-folder.ts';

type Section = Readonly<Record<string, unknown>>;

/** Where the manifests say how long a pod drains. */
const MANIFEST = new URL('../../../config/kubernetes/coordinator/coordinator.yaml', import.meta.url);

const RUNNING = 'llm_d_coordinator_request_running';

/** One of the coordinators behind Envoy. */
export interface Instance {
  readonly port: number;
  readonly process: CoordinatorProcess;
  /** As its metrics have it. */
  requestsRunning(): Promise<number>;
}

/** Two coordinators behind an Envoy that asks each whether it is ready, drained as the manifests have it. */
export class CoordinatorPair {
  private readonly folder = new TemporaryFolder();
  private readonly all: (CoordinatorProcess | EnvoyProcess)[] = [];
  private readonly running: Instance[] = [];
  private proxy: EnvoyProcess | undefined;

  private constructor(
    private readonly cluster: Parameters<typeof coordinatorConfig>[0],
    private readonly changes: Section,
  ) {}

  /**
   * @param changes keys of `server` that differ from the manifests'
   * @throws Error where there is no Envoy, no build, or one of them does not start
   */
  static async start(
    cluster: Parameters<typeof coordinatorConfig>[0],
    changes: Section = {},
  ): Promise<CoordinatorPair> {
    const pair = new CoordinatorPair(cluster, changes);
    try {
      await pair.startAll();
      return pair;
    } catch (error) {
      await pair.stop();
      throw error;
    }
  }

  /** Where clients come in. */
  get url(): string {
    return this.envoy.url;
  }

  get envoy(): EnvoyProcess {
    if (this.proxy === undefined) throw new Error('there is no Envoy');
    return this.proxy;
  }

  get instances(): readonly Instance[] {
    return this.running;
  }

  /** How many of them Envoy takes for ready. */
  healthy(): Promise<number> {
    return this.envoy.statistic('cluster.coordinator.membership_healthy');
  }

  /** Starts another one where that one was, which has to have ended or at least to take no more connections. */
  async replace(old: Instance): Promise<void> {
    this.running.splice(this.running.indexOf(old), 1, await this.startInstance(old.port));
  }

  async stop(): Promise<void> {
    for (const program of this.all) program.signal('SIGKILL');
    await Promise.all(this.all.map(({ ended }) => ended));
    this.folder.remove();
  }

  private async startAll(): Promise<void> {
    for (const port of [await freePort(), await freePort()]) this.running.push(await this.startInstance(port));
    const [coordinatorPort = 0, ...coordinatorReplicas] = this.running.map(({ port }) => port);
    // phases go to the simulated gateway, so nobody comes in where a picker would be asked
    const unused = await freePort();
    const pickers = { encode: unused, prefill: unused, decode: unused };
    const topology = { port: await freePort(), coordinatorPort, coordinatorReplicas, pickers };
    this.proxy = await EnvoyProcess.start(topology, this.folder);
    this.all.push(this.envoy);
    await this.envoy.until(async () => (await this.healthy()) === this.running.length);
  }

  private async startInstance(port: number): Promise<Instance> {
    const metrics = await freePort();
    const server = { ...drainOfManifest(), warmup: '1s', metrics_port: metrics, ...this.changes };
    const file = this.folder.write(`coordinator-${port}.yaml`, coordinatorConfig(this.cluster, port, { server }));
    const process = new CoordinatorProcess(['--config', file]);
    this.all.push(process);
    await process.ready(`http://127.0.0.1:${port}`);
    return { port, process, requestsRunning: () => metricOf({ adminUrl: `http://127.0.0.1:${metrics}` }, RUNNING) };
  }
}

/** Whether Envoy could connect. */
export async function takesConnections({ port }: Instance): Promise<boolean> {
  return (await statusOf(`http://127.0.0.1:${port}/healthz`)) !== undefined;
}

function drainOfManifest(): Section {
  const { server } = parse(readFileSync(MANIFEST, 'utf8')) as { server: Record<string, unknown> }; // `--check` has passed it
  return { drain_delay: server['drain_delay'], shutdown_timeout: server['shutdown_timeout'] };
}
