import type { Attributes } from '@opentelemetry/api';
import type { Dispatch, DispatchEnd } from '#dispatch';
import { ATTRIBUTES } from '../attributes.ts';

/** Span attributes of the async worker: those of OpenTelemetry's conventions for messages, and ours under `llm_d.async_worker.`. */
export const ASYNC_WORKER_ATTRIBUTES = {
  system: 'messaging.system',
  operation: 'messaging.operation.name',
  operationType: 'messaging.operation.type',
  destination: 'messaging.destination.name',
  attempt: 'llm_d.async_worker.attempt',
  waited: 'llm_d.async_worker.waited_seconds',
  outcome: 'llm_d.async_worker.outcome',
  failure: 'llm_d.async_worker.failure',
  reason: 'llm_d.async_worker.dead_letter_reason',
  delay: 'llm_d.async_worker.retry_delay_ms',
} as const;

const NAME = ASYNC_WORKER_ATTRIBUTES;

/** What is known of a message when it is taken. */
export function messageAttributes({ queue, attempt, waited }: Dispatch): Attributes {
  return {
    [NAME.system]: 'redis',
    [NAME.operation]: 'process',
    [NAME.operationType]: 'process',
    [NAME.destination]: queue,
    [NAME.attempt]: attempt,
    ...(waited === undefined ? {} : { [NAME.waited]: waited }),
  };
}

/** What came of it. */
export function endAttributes({ outcome, status, failure, reason, delay }: DispatchEnd): Attributes {
  return {
    [NAME.outcome]: outcome,
    ...(status === undefined ? {} : { [ATTRIBUTES.status]: status }),
    ...(failure === undefined ? {} : { [NAME.failure]: failure }),
    ...(reason === undefined ? {} : { [NAME.reason]: reason }),
    ...(delay === undefined ? {} : { [NAME.delay]: delay }),
  };
}
