import type { DispatchOutcome } from '#dispatch';

/** The closed sets that label values of an async worker come from; queues are of the configuration, tenants are no labels. */

export const DISPATCH_OUTCOMES = [
  'delivered',
  'retried',
  'delayed',
  'expired',
  'cancelled',
  'dead',
  'returned',
  'lost',
] as const satisfies DispatchOutcome[];

export const RECOVERIES = ['lease', 'retry'] as const;

/** Statuses of answers: those that ask for patience are told from the rest of their class. */
export const STATUS_RESULTS = ['2xx', '3xx', '429', 'other_4xx', '503', 'other_5xx'] as const;
export type StatusResult = (typeof STATUS_RESULTS)[number];

/** What is shown of an answer's status. */
export function statusResult(status: number): StatusResult {
  if (status === 429 || status === 503) return `${status}`;
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? 'other_4xx' : 'other_5xx';
}
