import {
  BadRequestError,
  ClientClosedError,
  DrainingError,
  UpstreamConnectionError,
  UpstreamTimeoutError,
} from '#foundation';
import type { StageEnd } from './disagg.observer.ts';

/** What an answer's status says of a stage: anything but 2xx is a failure (`sidecar.md` 4.0). */
export function endOf(status: number): StageEnd {
  return { status, failure: isGood(status) ? undefined : `status_${Math.trunc(status / 100)}xx` };
}

export function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** What an error says of a stage, in one word. */
export function failureOf(error: unknown): string {
  if (error instanceof UpstreamConnectionError) return error.reason;
  if (error instanceof UpstreamTimeoutError) return 'timeout';
  if (error instanceof ClientClosedError) return 'client_closed';
  if (error instanceof DrainingError) return 'drained';
  return error instanceof BadRequestError ? 'bad_request' : 'invalid_answer';
}
