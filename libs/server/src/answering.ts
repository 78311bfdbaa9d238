import type { Logger } from '@nestjs/common';
import { DrainingError, asCoordinatorError } from '#foundation';
import type { CoordinatorError, Lifecycle } from '#foundation';
import type { RequestWatch } from '#pipeline';
import type { ClientReply } from './client-reply.ts';

/** A request that is being answered, whatever its route. */
export interface Answering {
  readonly reply: ClientReply;
  readonly watch: Pick<RequestWatch, 'failed' | 'ended'>;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
}

/**
 * Lets `answer` write the reply, refuses to while the process closes, and tells the observer, the log and the client of what
 * it throws. Never rejects.
 */
export async function answering(to: Answering, answer: () => Promise<void>): Promise<void> {
  const { reply, watch, lifecycle, logger } = to;
  void reply.end.then(() => {
    watch.ended(reply.facts);
  });
  try {
    if (lifecycle.isClosing) throw new DrainingError();
    await answer();
  } catch (thrown) {
    const error = asCoordinatorError(thrown);
    watch.failed(error);
    logFailure(logger, reply.requestId, error);
    reply.fail(error);
  }
}

/** A line for a failure that is not the client's, as a warning; the client's own are told by `request finished`. */
function logFailure(logger: Logger, requestId: string, error: CoordinatorError): void {
  if (error.status < 500) return;
  logger.warn({ code: error.code, status: error.status, 'x-request-id': requestId, err: error }, error.message);
}
