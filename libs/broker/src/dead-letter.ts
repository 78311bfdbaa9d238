import { z } from 'zod';

/** Why a message is a dead letter. */
export const DEAD_LETTER_REASONS = ['retries_exhausted', 'worker_lost', 'invalid_envelope'] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

/** What an operator is told of a message that was given up; nothing of what it said. */
const deadLetterSchema = z.object({
  receipt: z.string(),
  reason: z.enum(DEAD_LETTER_REASONS),
  /** Tries that were made. */
  attempts: z.number(),
  tenant: z.string().optional(),
  id: z.string().optional(),
  endpoint: z.string().optional(),
  /** Seconds since 1970. */
  created: z.number().optional(),
  /** Seconds since 1970. */
  deadline: z.number().optional(),
  /** Of the last answer. */
  status: z.number().optional(),
  /** A word about the last failure, or about the envelope. */
  failure: z.string().optional(),
});

/** A dead letter as it lies at Redis. */
export type DeadLetterFacts = Readonly<z.output<typeof deadLetterSchema>>;

/** A dead letter, and since when it is one. */
export interface DeadLetter extends DeadLetterFacts {
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What was written as JSON; undefined for what is none. */
export function readDeadLetter(text: string, at: number): DeadLetter | undefined {
  try {
    return { at, ...deadLetterSchema.parse(JSON.parse(text)) };
  } catch {
    return undefined;
  }
}
