import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { coordinatorConfig } from '../workloads/coordinator-config.mjs';
import { pinned } from './cores.mjs';
import { Direct } from './direct.mjs';
import { freePort } from './free-port.mjs';
import { imageFlags } from './image-flags.mjs';
import { Program } from './program.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const COORDINATOR = here('../../../dist/apps/coordinator/main.js');
const SIDECAR = here('../../../dist/apps/sidecar/main.js');
const FLOOR = here('../floor.mjs');
/** Node's own flags, as the image has them. */
const FLAGS = imageFlags();
const GAUGE = new URL('../gauge.preload.mjs', import.meta.url).href;

/**
 * The programs that are compared: `floor`, `coordinator` and its variants, `sidecar`, and `peer` where the command line names one.
 * Each is given a configuration file of its own, but for the sidecar, which has flags. `direct` is none: clients go to the worker.
 */
export class BenchPrograms {
  /** @param bench `{ folder, cores, upstreamPort, sinkPort, peer }` */
  constructor(bench) {
    this.bench = bench;
  }

  /** The names to measure where nothing else is said. */
  get rivals() {
    return ['floor', 'coordinator', ...(this.bench.peer === undefined ? [] : ['peer'])];
  }

  /** The names to measure on a pipeline. */
  rivalsOn(pipeline) {
    if (pipeline === 'sidecar') return ['floor', 'sidecar', 'direct'];
    return pipeline === 'sidecar-nixlv2' ? ['floor', 'sidecar'] : this.rivals;
  }

  /** Of them, those that have memory of their own. */
  rivalsWithMemory(pipeline) {
    return this.rivalsOn(pipeline).filter((name) => name !== 'direct');
  }

  /** Starts a program and waits until it is ready. @param options `{ cores, env }` */
  async start(name, pipeline, { cores = this.bench.cores.program, env } = {}) {
    const { folder, upstreamPort } = this.bench;
    if (name === 'direct') return new Direct(upstreamPort);
    const variant = VARIANTS[name] ?? {};
    const ports = { main: await freePort(), metrics: await freePort(), upstream: upstreamPort };
    const file = join(folder, `${name}-${pipeline}.yaml`);
    writeFileSync(file, stringify(coordinatorConfig(pipeline, ports, variant.config)));
    const own = name === 'sidecar' ? sidecarFlags(ports) : ['--config', file];
    const program = new Program(pinned(cores, [...this.#command(name), ...own]), {
      name,
      ...(name === 'sidecar' ? { readiness: '/health' } : {}),
      env: { ...variant.env?.(this.bench), ...env },
      port: ports.main,
      hasGauge: name !== 'peer' && variant.hasWorkers !== true,
    });
    try {
      await program.ready();
      return program;
    } catch (error) {
      await program.stop();
      throw error;
    }
  }

  #command(name) {
    if (name === 'peer') return ['bash', '-c', `exec ${this.bench.peer} "$@"`, 'peer'];
    const gauge = VARIANTS[name]?.hasWorkers === true ? [] : ['--import', GAUGE];
    return [process.execPath, ...FLAGS, ...gauge, MAINS[name] ?? COORDINATOR];
  }
}

const MAINS = { floor: FLOOR, sidecar: SIDECAR };

/** As the coordinator: metrics, no span export, no line for a request. */
function sidecarFlags({ main, metrics, upstream }) {
  const ports = [`--port=${main}`, `--model-server-port=${upstream}`, `--metrics-port=${metrics}`];
  return ['--secure-proxy=false', '--zap-log-level=error', ...ports];
}

/** The coordinator as it comes has metrics and no span export. */
const VARIANTS = {
  off: { config: { metrics: { enabled: false } } },
  metrics: {},
  'traces 1 %': tracing('0.01'),
  'traces 100 %': tracing('1'),
  '1 process': { hasWorkers: true },
  '2 processes': { hasWorkers: true, config: { server: { workers: 2 } } },
};

function tracing(ratio) {
  return {
    config: { tracing: true },
    env: ({ sinkPort }) => ({
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${sinkPort}`,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: ratio,
    }),
  };
}
