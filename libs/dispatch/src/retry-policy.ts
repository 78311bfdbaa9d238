import type { DispatchConfig } from './dispatch.config.ts';

/** What a try ended with. */
export type TryEnd =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: Buffer;
      /** Milliseconds that the answer asks to wait. */
      readonly retryAfter: number | undefined;
    }
  | {
      readonly kind: 'failure';
      /** A word. */
      readonly failure: string;
      /** Whether another try would end the same way. */
      readonly isFinal: boolean;
    };

/** What becomes of the message then. `give_up` makes it a dead letter, `fail` tells its client only. */
export type Verdict =
  | { readonly kind: 'deliver' | 'expire' | 'give_up' | 'fail' }
  | { readonly kind: 'retry'; /** Milliseconds. */ readonly delay: number };

/** Where the message stands. */
export interface Standing {
  /** Which try it was, from 1. */
  readonly attempt: number;
  /** Milliseconds to its deadline. */
  readonly left: number;
}

/** What may be well in a while: the request took too long to arrive, came too early, or was one too many. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * An answer is the result, unless it says that another try may bring a better one. There is one as long as tries and time are left.
 * @param random from 0 to 1
 */
export function verdictOf(
  end: TryEnd,
  { attempt, left }: Standing,
  { max_attempts, backoff }: Pick<DispatchConfig['worker'], 'max_attempts' | 'backoff'>,
  random: number,
): Verdict {
  if (end.kind === 'answer' && !isPassing(end.status)) return { kind: 'deliver' };
  if (end.kind === 'failure' && end.isFinal) return { kind: 'fail' };
  if (attempt >= max_attempts) return { kind: 'give_up' };
  const asked = end.kind === 'answer' ? (end.retryAfter ?? 0) : 0;
  const delay = Math.max(backoffBefore(attempt + 1, backoff, random), asked);
  if (delay < left) return { kind: 'retry', delay };
  return { kind: end.kind === 'answer' ? 'deliver' : 'expire' };
}

/** Milliseconds before a try, doubled with each; half of it is random, so that what failed together does not come back together. */
export function backoffBefore(
  attempt: number,
  { initial, max }: DispatchConfig['worker']['backoff'],
  random: number,
): number {
  const most = Math.min(max, initial * 2 ** Math.min(attempt - 2, 32));
  return most * (0.5 + random / 2);
}

function isPassing(status: number): boolean {
  return status >= 500 || PASSING.has(status);
}
