import { z } from 'zod';
import { headerName, integer } from '#config';
import { brokerProblems } from './broker-rules.ts';
import { redisServers } from './redis-servers.config.ts';
import { DEFAULT_SECONDS } from './timeout-limits.ts';

/** Seconds; what a field does not say falls back by itself. */
const limits = (mode: 'enqueue' | 'wait', most: string) =>
  z
    .strictObject({
      default_seconds: integer({ min: 0 })
        .default(DEFAULT_SECONDS[mode])
        .describe(`Seconds until the deadline of a request in mode ${mode} that names none. 0: the default.`),
      max_seconds: integer({ min: 0 })
        .default(0)
        .describe(`Most seconds that a client may ask for in mode ${mode}. 0: ${most}.`),
    })
    .prefault({});

const route = z.strictObject({
  model: z.string().default('').describe('Empty: any model.'),
  tenant: z.string().default('').describe('Empty: any tenant.'),
  queue: z.string().default('').describe('Empty: `default_queue`.'),
  tier: z.string().default('').describe('Empty: `default_tier`.'),
});

/** Names of InferenceObjectives go into a header. */
const objective = z
  .string()
  .regex(/^[\x21-\x7e]*$/, { error: 'expected the name of an InferenceObjective' })
  .default('');

/** Seconds. */
export const DEFAULT_WINDOW = 300;

const quota = z
  .strictObject({
    prefix: z.string().default('quota:').describe("First part of a counter's key, as at the async processor."),
    attribute: z.string().default('userid').describe('Second part, and the name that the tenant has in the metadata.'),
    window_seconds: integer({ min: 0 })
      .default(DEFAULT_WINDOW)
      .describe('Seconds after which a counter that nobody touches is gone. 0: the default.'),
    limits: z
      .record(z.string(), integer({ min: 0 }))
      .default({})
      .describe('Requests at a time that are reserved for a tenant. 0 or absent: all of them, uncounted.'),
  })
  .prefault({});

const ignored = 'Not used by this step: deployments of upstream have it in every step.';

/** Parameters of the step `async-broker` (`coordinator.md` C.9); all that is about Redis and its keys is here, too. */
export const brokerConfig = z
  .strictObject({
    ...redisServers,
    mode_header: headerName().prefault('x-llm-d-async-mode').describe('Asks for a mode: passthrough, enqueue or wait.'),
    tenant_header: headerName().prefault('x-llm-d-tenant').describe('Names the tenant; it is trusted as it comes.'),
    timeout_header: headerName()
      .prefault('x-llm-d-request-timeout-seconds')
      .describe('Seconds until the deadline of a queued request.'),
    timeouts: z
      .strictObject({
        enqueue: limits('enqueue', 'no limit'),
        wait: limits('wait', '3600, or `default_seconds` where that is more'),
      })
      .prefault({}),
    wait_cap_seconds: integer({ min: 0 })
      .default(0)
      .describe('A held request is answered with 202 after this many seconds. 0: it is held to its deadline.'),
    fetch_grace_seconds: integer({ min: 0 })
      .default(60)
      .describe('Seconds that a result stays after it was fetched. 0: it is deleted then.'),
    routes: z
      .array(route)
      .default([])
      .describe('`{model, tenant, queue, tier}`, each of them optional; the first that fits a request counts.'),
    default_queue: z.string().default('request-sortedset').describe('The queue of what fits no route.'),
    default_tier: z.string().default('').describe('The tier of what fits no route.'),
    quota,
    forward_headers: z
      .array(headerName())
      .prefault(['x-llm-d-slo-ttft-ms', 'x-llm-d-slo-tpot-ms'])
      .describe('Client headers that go with a queued request.'),
    wakeup_mode: z
      .enum(['auto', 'notify', 'poll'])
      .default('auto')
      .describe(
        'How a held request learns of its result: keyspace notifications, polling, or what Redis is set up for.',
      ),
    objectives: z
      .record(z.string(), z.strictObject({ reserved: objective, overflow: objective }))
      .default({})
      .describe('InferenceObjectives by tier, `{reserved, overflow}`: within the quota, and beyond it.'),
    objective_header: headerName().prefault('x-llm-d-inference-objective').describe('Carries the objective.'),
    fairness_header: headerName().prefault('x-llm-d-inference-fairness-id').describe('Carries the tenant.'),
    use_openai_format: z.boolean().optional().describe(ignored),
    kv_connector: z.string().optional().describe(ignored),
    ec_connector: z.string().optional().describe(ignored),
  })
  .superRefine((config, context) => {
    for (const { path, message } of brokerProblems(config)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .describe('Queues requests for the async processor, on request of the client. It has to be the first step.');

export type BrokerConfig = Readonly<z.output<typeof brokerConfig>>;

export const BROKER_CONFIG = Symbol('broker:config');
