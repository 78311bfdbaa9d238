import type { Logger } from '@nestjs/common';
import type { CoordinatorError } from '#foundation';

/** A line for a failure that is not the client's, as a warning; the client's own are told by `request finished`. */
export function logFailure(logger: Logger, requestId: string, error: CoordinatorError): void {
  if (error.status < 500) return;
  logger.warn({ code: error.code, status: error.status, 'x-request-id': requestId, err: error }, error.message);
}
