import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { coordinatorConfig } from '../workloads/coordinator-config.mjs';
import { pinned } from './cores.mjs';
import { Program } from './program.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const COORDINATOR = here('../../../dist/apps/coordinator/main.js');
const FLOOR = here('../floor.mjs');
/** Node's own flags, as the image has them. */
const FLAGS = imageFlags();
const GAUGE = new URL('../gauge.preload.mjs', import.meta.url).href;

/**
 * The programs that are compared: `floor`, `coordinator` and its variants, and `peer` where the command line names one. Each
 * is given a configuration file of its own.
 */
export class BenchPrograms {
  /** @param bench `{ folder, cores, upstreamPort, sinkPort, peer }` */
  constructor(bench) {
    this.bench = bench;
  }

  /** The names to measure on a pipeline. */
  get rivals() {
    return ['floor', 'coordinator', ...(this.bench.peer === undefined ? [] : ['peer'])];
  }

  /** Starts a program and waits until it is ready. @param options `{ cores, env }` */
  async start(name, pipeline, { cores = this.bench.cores.program, env } = {}) {
    const { folder, upstreamPort } = this.bench;
    const variant = VARIANTS[name] ?? {};
    const ports = { main: await freePort(), metrics: await freePort(), upstream: upstreamPort };
    const file = join(folder, `${name}-${pipeline}.yaml`);
    writeFileSync(file, stringify(coordinatorConfig(pipeline, ports, variant.config)));
    const command = pinned(cores, [...this.#command(name), '--config', file]);
    const program = new Program(command, {
      name,
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
    return [process.execPath, ...FLAGS, ...gauge, name === 'floor' ? FLOOR : COORDINATOR];
  }
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

/** What stands between `node` and the program in the image's entry point. */
function imageFlags() {
  const entry = /^ENTRYPOINT (.+)$/m.exec(readFileSync(here('../../../Dockerfile'), 'utf8'))?.[1] ?? '[]';
  return JSON.parse(entry).filter((word) => word.startsWith('--'));
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
