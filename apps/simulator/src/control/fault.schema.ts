import { z } from 'zod';

export const PHASES = ['render', 'probe', 'encode', 'prefill', 'decode'] as const;
export type Phase = (typeof PHASES)[number];

/**
 * One thing to go wrong.
 *
 * - `status`: answers `status` with `body` and `headers` instead of doing the work.
 * - `stall`: waits `delay_ms` before going on, for ever without it.
 * - `cut`, `reset`: ends the connection with FIN or RST.
 * - `slow`: adds `delay_ms` before the head and before every event.
 */
export const faultSchema = z.strictObject({
  phase: z.enum([...PHASES, 'any']),
  kind: z.enum(['status', 'stall', 'cut', 'reset', 'slow']),
  status: z.int().min(100).max(599).default(500).describe('Status of a `status` fault.'),
  headers: z.record(z.string(), z.string()).default({}).describe('Headers of a `status` fault, `retry-after` say.'),
  body: z.unknown().optional().describe('JSON body of a `status` fault; an error object when absent.'),
  after_events: z
    .int()
    .nonnegative()
    .optional()
    .describe(
      'Events that go out before it happens; in a buffered answer any number means half of the body. Absent: before the head.',
    ),
  mid_event: z.boolean().default(false).describe('Half of the next event goes out too.'),
  delay_ms: z.number().nonnegative().optional(),
  skip: z.int().nonnegative().default(0).describe('Calls of the phase that pass before the first that it hits.'),
  times: z.int().positive().optional().describe('Calls it hits before it is used up; all of them when absent.'),
  probability: z.number().min(0).max(1).default(1),
});

export type FaultInput = z.input<typeof faultSchema>;
export type Fault = z.output<typeof faultSchema>;
export const faultListSchema = z.array(faultSchema);
