import { z } from 'zod';
import { faultListSchema } from './control/fault.schema.ts';

export const WORKER_ROLES = ['encode', 'prefill', 'decode', 'all'] as const;
export type WorkerRole = (typeof WORKER_ROLES)[number];

/** Of decode sidecars. */
export const KV_CONNECTORS = ['nixlv2', 'shared-storage', 'sglang', 'mooncake', 'offloading'] as const;
export const EC_CONNECTORS = ['ec-example', 'ec-nixl'] as const;

const port = z.int().min(0).max(65_535).default(0).describe('0 takes a free one.');
const milliseconds = z.number().nonnegative().default(0);
const urls = z.array(z.url()).default([]);

const pickerAddress = z.string().regex(/^\S+:\d{1,5}$/, 'expected host:port');

const workerSchema = z.strictObject({ role: z.enum(WORKER_ROLES), port });

/** How long things take. All zero by default, for tests. */
const timingSchema = z.strictObject({
  render_ms: milliseconds,
  encode_ms: milliseconds.describe('One encode call.'),
  prefill_ms: milliseconds.describe('Any prefill, before its tokens.'),
  prefill_token_us: z
    .number()
    .nonnegative()
    .default(0)
    .describe('Microseconds for each prompt token that is not cached.'),
  ttft_ms: milliseconds.describe('From admission at decode to the first token, on top of a prefill it does itself.'),
  itl_ms: milliseconds.describe('Between two tokens of a stream.'),
});

const meetingMs = z
  .number()
  .positive()
  .default(5000)
  .describe('How long decode waits for a prefill that runs beside it.');

/** Where SGLang's prefill and decode meet that a coordinator has run at the same time. */
const sglangSchema = z.strictObject({
  bootstrap_port: port.default(8998).describe('Where prefill workers are met.'),
  wait_ms: meetingMs.describe('How long each of the two waits for the other.'),
});
export type SglangConfig = z.output<typeof sglangSchema>;

/** What the workers of a cluster with decode sidecars must agree with the sidecars on; names and defaults are those of its flags. */
const sidecarSchema = z.strictObject({
  kv_connector: z.enum(KV_CONNECTORS).default('nixlv2'),
  ec_connector: z.enum(EC_CONNECTORS).optional(),
  p2p_key_style: z.enum(['seed', 'current']).default('seed'),
  p2p_port: z.int().positive().default(7777),
  bootstrap_port: port
    .default(8998)
    .describe('Where prefill workers are met with `sglang`, and answer `GET /query` with `mooncake`.'),
  wait_ms: meetingMs,
});
export type SidecarConfig = z.output<typeof sidecarSchema>;

export const simulatorSchema = z.strictObject({
  host: z.string().default('127.0.0.1'),
  model: z.string().default('sim-model').describe('What /v1/models lists.'),
  strict_model: z.boolean().default(false).describe('Answer 404 to every other model, as vLLM does.'),
  profile_header: z.string().toLowerCase().default('epp-profile'),
  kv: z.enum(['nixl', 'shared-storage', 'sglang']).default('nixl'),
  ec: z.enum(['nixl', 'shared-storage', 'none']).default('nixl').describe('`none`: prefill encodes media itself.'),
  sglang: sglangSchema.prefault({}).describe('Of `kv: sglang`, where the two workers run at once.'),
  sidecar: sidecarSchema.optional().describe('Workers are called by decode sidecars: `kv` and `ec` say nothing then.'),
  kv_lease_ms: z.number().positive().default(60_000).describe('How long a prefill keeps its blocks for the decode.'),
  verify_tokens: z
    .boolean()
    .default(true)
    .describe('Workers render each chat body again and compare; off for benchmarks.'),
  gate_uncached_tokens: z
    .int()
    .positive()
    .default(16)
    .describe('`Prefer: if-available` is 412 from so many uncached tokens on.'),
  cache_blocks: z.int().positive().default(65_536).describe('Prefix cache of each worker, in blocks of 16 tokens.'),
  max_num_seqs: z.int().positive().default(256).describe('Requests a worker runs at once; the others wait.'),
  timing: timingSchema.prefault({}),
  render: z
    .strictObject({
      port,
      kwargs_bytes: z.int().positive().max(20_000_000).optional().describe('Tensor bytes of an item.'),
    })
    .optional(),
  workers: z.array(workerSchema).default([]),
  gateway: z
    .strictObject({
      port,
      coordinator: z.url().optional().describe('Where requests without the profile header go.'),
      picker: z
        .union([
          pickerAddress,
          z.strictObject({ encode: pickerAddress, prefill: pickerAddress, decode: pickerAddress }),
        ])
        .optional()
        .describe(
          'Endpoint picker to ask over ext_proc, in plain text: `host:port`, or one for each phase. Without it the gateway picks by itself.',
        ),
      sidecars: z
        .boolean()
        .default(false)
        .describe('The picker is asked about every request, whatever its profile: its decode workers have sidecars.'),
      endpoints: z
        .strictObject({ encode: urls, prefill: urls, decode: urls })
        .prefault({})
        .describe('Workers of other processes; those of this one are added.'),
    })
    .optional(),
  media: z.strictObject({ port }).optional().describe('A server with two PNG images, red.png and blue.png.'),
  faults: faultListSchema.default([]),
});

export type SimulatorInput = z.input<typeof simulatorSchema>;
export type SimulatorConfig = z.output<typeof simulatorSchema>;
