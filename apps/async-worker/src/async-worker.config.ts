import { z } from 'zod';
import { redisServers, topologyProblems } from '#broker';
import type { RuleProblem } from '#broker';
import { duration, integer, listenAddress, parseTree, readTree } from '#config';
import type { ConfigLayers, ParsedConfig } from '#config';
import { coordinatorAccess, queueNames, workerConfig } from '#dispatch';
import { telemetryConfig } from '#telemetry';

/** The `server` section; its keys are called as the coordinator's. */
const serverConfig = z
  .strictObject({
    listen_addr: listenAddress().prefault(':8081').describe('Address of probes and admin.'),
    metrics_port: integer({ max: 65_535 })
      .default(9090)
      .describe('Port of metrics, on all interfaces. 0 or less: no such listener.'),
    read_timeout: duration('30s').describe(
      'Time for a whole request to arrive; also how long an idle connection is kept.',
    ),
    drain_delay: duration('0s').describe(
      'After SIGTERM nothing more is taken; probes and admin are served for this long at least.',
    ),
    shutdown_timeout: duration('30s').describe(
      'After SIGTERM, calls that are left at this time are broken off, and their messages given back.',
    ),
  })
  .prefault({})
  .describe('The listeners, and the end.');

const { log_level, tracing, admin } = telemetryConfig;

/** The whole configuration: each section belongs to its lib. */
export const asyncWorkerConfig = z
  .strictObject({
    log_level,
    tracing,
    admin,
    server: serverConfig,
    coordinator: coordinatorAccess,
    ...redisServers,
    queues: queueNames,
    worker: workerConfig,
  })
  .superRefine((config, context) => {
    for (const { path, message } of problemsOf(config)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  });

export type AsyncWorkerConfig = Readonly<z.output<typeof asyncWorkerConfig>>;

export type LoadedConfig = ParsedConfig<AsyncWorkerConfig>;

/** Where the configuration comes from. */
export interface AsyncWorkerSource extends ConfigLayers {
  readonly file: string;
}

/** @throws ConfigError with every problem of the file, the environment and the flags */
export function loadAsyncWorkerConfig(source: AsyncWorkerSource): LoadedConfig {
  return parseTree(readTree({ file: source.file }), asyncWorkerConfig, source);
}

/** What no single key shows. */
function problemsOf(config: AsyncWorkerConfig): RuleProblem[] {
  const [first, ...others] = config.queues.map((queue, index) => ({ path: ['queues', index], queue }));
  return first === undefined ? [] : topologyProblems(config, first, others);
}
