import { Logger } from '@nestjs/common';
import type { Dispatch, DispatchEnd } from '#dispatch';
import { rounded } from '../request-summary.ts';
import type { RequestTrace } from '../request-trace.ts';

const logger = new Logger('dispatch');

/** One line for each time that a message was held. @param elapsed milliseconds */
export function logEnd(dispatch: Dispatch, end: DispatchEnd, trace: RequestTrace | undefined, elapsed: number): void {
  const { queue, id, attempt, waited } = dispatch;
  const { outcome, status, failure, reason, delay } = end;
  const line = {
    'x-request-id': id,
    ...(trace === undefined ? {} : { trace_id: trace.ids.traceId, span_id: trace.ids.spanId }),
    queue,
    attempt,
    outcome,
    status,
    failure,
    reason,
    ...(waited === undefined ? {} : { waited_ms: rounded(1000 * waited) }),
    duration_ms: rounded(elapsed),
    ...(delay === undefined ? {} : { retry_after_ms: rounded(delay) }),
  };
  // a tenant that has many at once has each of them delayed again and again
  if (outcome === 'delayed') logger.debug(line, 'message ended');
  else logger.log(line, 'message ended');
}
