import { z } from 'zod';
import { queueProblem } from '#broker';
import { baseUrl, duration, headerName, integer, mebibytes } from '#config';
import { serverTrust } from '#gateway';

/** The `coordinator` section: where requests are served. */
export const coordinatorAccess = z
  .strictObject({
    address: baseUrl('coordinator URL').describe('Base URL of the coordinator, or of what stands before it.'),
    mode_header: headerName()
      .prefault('x-llm-d-async-mode')
      .describe('`mode_header` of its step async-broker; it is never sent, or the request would be queued again.'),
    connect_timeout: duration('5s').describe('Wait for a TCP or TLS connection.'),
    timeout: duration('0s').describe('Wait for the response headers of one try. 0s: until the deadline.'),
    max_response_size: mebibytes({ min: 1, max: 80 })
      .default(64)
      .describe('Largest answer in MiB. A larger one is an error for its client, and is not asked for again.'),
    ...serverTrust,
  })
  .describe('Where the requests are served.');

/** The `worker` section: how much at a time, and how often. */
export const workerConfig = z
  .strictObject({
    concurrency: integer({ min: 1, max: 4096 }).default(16).describe('Messages that are held at a time.'),
    tenant_concurrency: integer({ min: 0 })
      .default(0)
      .describe('Of them, how many may be of one tenant; others of it wait. 0: no limit.'),
    max_bytes_in_flight: mebibytes({ min: 1, max: 65_536 })
      .default(256)
      .describe('MiB of messages that are held at a time; a larger one is held alone.'),
    lease: duration('30s', { min: '1s' }).describe(
      'A message of a worker that disappears is taken by another after this time. Renewed every third of it, which is also how soon a request that is cancelled is broken off.',
    ),
    poll_interval: duration('250ms', { min: '10ms' }).describe('Time between two looks at a queue that had nothing.'),
    max_attempts: integer({ min: 1, max: 1000 })
      .default(5)
      .describe('Tries of one message, those that ended with their worker included. It is a dead letter then.'),
    backoff: z
      .strictObject({
        initial: duration('1s', { min: '1ms' }).describe('Before the second try, doubled with each.'),
        max: duration('60s', { min: '1ms' }).describe('At most; `Retry-After` may ask for more.'),
      })
      .prefault({})
      .refine(({ initial, max }) => initial <= max, { path: ['max'], error: 'must not be shorter than `initial`' })
      .describe('Wait before a message is tried again. The half of it is random.'),
    result_ttl: duration('1h', { min: '1s' }).describe('Time that a result is kept for its client.'),
    dead_letters: integer({ min: 0 })
      .default(10_000)
      .describe('Dead letters that are kept of each queue; the oldest go.'),
  })
  .prefault({})
  .describe('How much is held at a time, and what becomes of what fails.');

/** The queues, the first of which the others are measured by in a cluster. */
export const queueNames = z
  .array(z.string())
  .min(1, { error: 'expected at least one queue' })
  .superRefine((names, context) => {
    for (const [index, name] of names.entries()) {
      const message = names.indexOf(name) < index ? 'is named twice' : queueProblem(name);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [index], message });
    }
  })
  .prefault(['request-sortedset'])
  .describe('Queues that messages are taken from, each in its turn.');

/** What the lib is told. */
export interface DispatchConfig {
  readonly coordinator: Readonly<z.output<typeof coordinatorAccess>>;
  readonly worker: Readonly<z.output<typeof workerConfig>>;
  readonly queues: readonly string[];
}

export const DISPATCH_CONFIG = Symbol('dispatch:config');
