import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { z } from 'zod';
import { parseTree } from '#config';
import { createApp } from '#runtime';
import { BUILT_IN_STEPS } from '#steps';
import { FlightRecorder, JsonLogger, Metrics, Tracing } from '#telemetry';
import { Lifecycle } from '#foundation';
import { coordinatorConfig, stepsOf } from '../../apps/coordinator/src/coordinator.config.ts';
import { CoordinatorModule } from '../../apps/coordinator/src/coordinator.module.ts';
import { samples } from '../../libs/telemetry/src/request-telemetry.fixture.ts';
import type { SpanRecorder } from '../../libs/telemetry/src/spans.fixture.ts';
import type { ObservedCluster } from './telemetry-cluster.fixture.ts';

/** What differs from every step in front of the cluster, with nothing on. */
export interface ObservedOptions {
  /** Step types, or types with parameters. */
  readonly steps?: readonly (string | { readonly type: string; readonly params: object })[];
  readonly server?: object;
  readonly gateway?: object;
  readonly pipeline?: object;
  readonly admin?: object;
  readonly logLevel?: number;
  /** Without spans: tracing is off. */
  readonly spans?: SpanRecorder;
}

const logLine = z.record(z.string(), z.unknown());

const EVERY_STEP = ['replace-media-urls', 'render', 'conditional-decode', 'encode', 'prefill', 'decode'];

/** A coordinator in this process with its real telemetry, and everything that it wrote. */
export class ObservedCoordinator {
  private constructor(
    private readonly app: NestFastifyApplication,
    readonly url: string,
    readonly metrics: Metrics,
    readonly recorder: FlightRecorder,
    /** Log lines, in their order. */
    readonly lines: readonly Readonly<Record<string, unknown>>[],
    /** The configuration in the form that it is written in. */
    readonly effective: unknown,
  ) {}

  static async start(cluster: ObservedCluster, options: ObservedOptions = {}): Promise<ObservedCoordinator> {
    const schema = coordinatorConfig(stepsOf(BUILT_IN_STEPS));
    const values = {
      server: options.server ?? {},
      admin: options.admin ?? {},
      gateway: { address: cluster.url, ...options.gateway },
      pipeline: {
        kv_connector: 'kv-nixl',
        ec_connector: 'ec-nixl',
        steps: (options.steps ?? EVERY_STEP).map((step) => withParams(step, cluster.url)),
        ...options.pipeline,
      },
    };
    const { config, effective } = parseTree({ name: 'test', values }, schema, { env: {}, envPrefix: 'COORDINATOR' });
    const lines: Record<string, unknown>[] = [];
    const write = (line: string): void => void lines.push(logLine.parse(JSON.parse(line)));
    const telemetry = {
      metrics: new Metrics(),
      recorder: new FlightRecorder(),
      tracing: new Tracing(options.spans?.tracer),
    };
    const logger = new JsonLogger(options.logLevel ?? 2, 'test', { write });
    const app = await createApp(CoordinatorModule.register(config, { telemetry }), { logger, readTimeout: 0 });
    await app.init();
    const url = await app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0 });
    app.get(Lifecycle, { strict: false }).advance('serving');
    lines.length = 0;
    return new ObservedCoordinator(app, url, telemetry.metrics, telemetry.recorder, lines, effective);
  }

  get lifecycle(): Lifecycle {
    return this.app.get(Lifecycle, { strict: false });
  }

  /** Done when nothing is being served any more, and everything about it was said. */
  async idle(): Promise<void> {
    await until(() => this.recorder.inFlight === 0 && this.lifecycle.inFlight === 0);
  }

  /** What is kept of the request with the id. */
  timeline(id: string): Readonly<Record<string, unknown>> {
    const [timeline] = this.recorder.find(id);
    if (timeline === undefined) throw new Error(`nothing is kept of ${id}`);
    return { ...timeline };
  }

  /** The samples of a metric by their labels; of a counter those that have counted something. */
  samples(name: string): Promise<Record<string, number>> {
    return samples(this.metrics, name);
  }

  /** A metric over all of its series. */
  async total(name: string): Promise<number> {
    return Object.values(await this.samples(name)).reduce((sum, value) => sum + value, 0);
  }

  async close(): Promise<void> {
    this.app.getHttpServer().closeAllConnections();
    await this.app.close();
  }
}

/** Milliseconds that something may take to happen on a machine that is busy. */
const PATIENCE = 10_000;

/** Waits for what is about to happen. @throws Error when it does not */
export async function until(isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`did not happen: ${isTrue.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function withParams(step: string | { readonly type: string; readonly params: object }, url: string): object {
  const { type, params } = typeof step === 'string' ? { type: step, params: {} } : step;
  if (type === 'render') return { type, params: { address: url, ...params } };
  if (type === 'replace-media-urls') return { type, params: { allowed_networks: ['127.0.0.0/8'], ...params } };
  return { type, params };
}
