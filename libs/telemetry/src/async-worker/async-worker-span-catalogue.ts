import type { ATTRIBUTES } from '../attributes.ts';
import type { ASYNC_WORKER_ATTRIBUTES } from './async-worker-attributes.ts';

/** A kind of span of the async worker as data; what stands in angle brackets differs from span to span. */
export interface AsyncWorkerSpanSpec {
  readonly name: string;
  /** Name of the span that it stands beneath; undefined for the outermost. */
  readonly parent: string | undefined;
  readonly when: string;
  readonly attributes: readonly (keyof typeof ATTRIBUTES | keyof typeof ASYNC_WORKER_ATTRIBUTES)[];
}

const PROCESS = 'process <queue>';

/** Every span of the async worker, from the outside in. Docs are made of it, and a test compares both. */
export const ASYNC_WORKER_SPANS = [
  {
    name: PROCESS,
    parent: undefined,
    when: 'Each time that a message is taken, until it is let go of; of kind CONSUMER. It stands beneath the span that queued the request.',
    attributes: [
      ...(['system', 'operation', 'operationType', 'destination', 'attempt', 'waited', 'outcome'] as const),
      ...(['status', 'failure', 'reason', 'delay', 'errorType'] as const),
    ],
  },
  {
    name: 'dispatch',
    parent: PROCESS,
    when: 'The call of the coordinator, whose server span stands beneath it.',
    attributes: ['method', 'path', 'serverAddress', 'serverPort', 'resend', 'status', 'errorType'],
  },
] as const satisfies readonly AsyncWorkerSpanSpec[];
