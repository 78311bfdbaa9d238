import {
  BadRequestError,
  ClientClosedError,
  DrainingError,
  UpstreamConnectionError,
  UpstreamError,
  UpstreamTimeoutError,
} from '#foundation';
import type { StageEnd } from './disagg.observer.ts';

/** What an answer's status says of a stage: anything but 2xx is a failure (`sidecar.md` 4.0). */
export function endOf(status: number): StageEnd {
  return { status, failure: isGood(status) ? undefined : statusFailure(status) };
}

export function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Why a leg is given up though the client still waits: another one has failed, and nobody needs what this one makes. */
export class CalledOffError extends Error {
  constructor() {
    super('called off');
    this.name = 'CalledOffError';
  }
}

/** What an error says of a stage, in one word. */
export function failureOf(error: unknown): string {
  if (error instanceof UpstreamConnectionError) return error.reason;
  if (error instanceof UpstreamError) return statusFailure(error.upstreamStatus);
  return givenUp(error) ?? (error instanceof BadRequestError ? 'bad_request' : 'invalid_answer');
}

function givenUp(error: unknown): string | undefined {
  if (error instanceof UpstreamTimeoutError) return 'timeout';
  if (error instanceof ClientClosedError) return 'client_closed';
  if (error instanceof DrainingError) return 'drained';
  return error instanceof CalledOffError ? 'called_off' : undefined;
}

function statusFailure(status: number): string {
  return `status_${Math.trunc(status / 100)}xx`;
}
