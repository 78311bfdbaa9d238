import { JsonLogger, MetricsPageModule } from '#telemetry';
import { AsyncWorkerMetrics, asyncWorkerTelemetry } from '#telemetry/async-worker';
import { startAsyncWorker } from '../../apps/async-worker/src/start.ts';
import { samples } from '../../libs/telemetry/src/request-telemetry.fixture.ts';
import type { SpanRecorder } from '../../libs/telemetry/src/spans.fixture.ts';
import { freePort } from '../e2e/support/free-port.ts';
import { QUEUE } from './async-worker.fixture.ts';
import type { Sections, WorkerBench } from './async-worker.fixture.ts';
import { eventually } from './broker.fixture.ts';

/** How a worker is watched. */
export interface WatchSetting {
  /** Without spans: tracing is off. */
  readonly spans?: SpanRecorder;
  readonly sections?: Sections;
}

/** A worker with its real telemetry, in this process. */
export class WatchedWorker {
  readonly metrics = new AsyncWorkerMetrics();
  readonly lines: string[] = [];
  page = '';
  stop: () => Promise<void> = () => Promise.resolve();

  static async start(bench: WorkerBench, { spans, sections = {} }: WatchSetting = {}): Promise<WatchedWorker> {
    const worker = new WatchedWorker();
    const write = (line: string): void => void worker.lines.push(line);
    const config = bench.config({ ...sections, server: { metrics_port: await freePort() } });
    const running = await startAsyncWorker(
      { config },
      {
        logger: new JsonLogger(5, 'test', { write }),
        metrics: MetricsPageModule.register(worker.metrics),
        ...asyncWorkerTelemetry(worker.metrics, spans?.tracer),
      },
    );
    worker.page = `${running.metricsUrl}/metrics`;
    worker.stop = () => running.shutdown.run('SIGTERM');
    return worker;
  }

  /** Values of a metric by labels; of a counter those that have counted something. */
  samples(name: string): Promise<Record<string, number>> {
    return samples(this.metrics, `llm_d_async_worker_${name}`);
  }

  /** Done when as many messages have ended so. */
  async ended(outcome: string, count = 1): Promise<void> {
    const series = `queue="${QUEUE}",outcome="${outcome}"`;
    await eventually(async () => ((await this.samples('messages_total'))[series] ?? 0) >= count, 20_000);
  }

  async read(accept = 'text/plain'): Promise<string> {
    return (await fetch(this.page, { headers: { accept } })).text();
  }
}

/** Everything that can happen to a message, each once; the coordinator's answers are `reply`'s. */
export async function driveEverything(bench: WorkerBench, worker: WatchedWorker): Promise<void> {
  await bench.enqueue('served');
  await worker.ended('delivered');
  await bench.put('{"no":"envelope"}');
  await worker.ended('dead');
  await bench.enqueue('late', { seconds: -5, age: 10 });
  await worker.ended('expired');
  await bench.enqueue('impatient', { payload: '{"model":"busy"}' });
  await worker.ended('retried');
  await bench.makeDue();
  await worker.ended('delivered', 2);
  await abandoned(bench);
  await worker.ended('delivered', 3);
}

/** A message whose worker has disappeared. It may be that the one that is watched was faster: then there is another one. */
async function abandoned(bench: WorkerBench): Promise<void> {
  for (let number = 0; ; number++) {
    await bench.enqueue(`abandoned-${number}`);
    const limits = { holder: 'gone', lease: 1, count: 1, bytes: 1e6, firstBytes: 1e6 };
    if ((await bench.queue().take(limits)).messages.length > 0) return;
  }
}
