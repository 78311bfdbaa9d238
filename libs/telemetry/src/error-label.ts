import {
  BadRequestError,
  ClientClosedError,
  UpstreamConnectionError,
  UpstreamError,
  UpstreamAnswerError,
  UpstreamTimeoutError,
} from '#foundation';
import type { UpstreamAttempt } from '#gateway';
import type { ErrorLabel } from './label-values.ts';

/** Whose fault an error is, as metrics say it (`coordinator.md` F.1). */
export function errorLabel(error: unknown): ErrorLabel {
  if (error instanceof BadRequestError) return 'bad_request';
  if (error instanceof ClientClosedError) return 'client_closed';
  if (error instanceof UpstreamConnectionError || error instanceof UpstreamTimeoutError) return 'upstream_transport';
  if (error instanceof UpstreamError) return statusLabel(error.upstreamStatus);
  if (error instanceof UpstreamAnswerError) return 'upstream_5xx';
  return 'internal';
}

/** Why a call failed, as timelines and spans say it: `cancelled` where one beside it failed first. */
export type CallFailure = ErrorLabel | 'cancelled';

/** @param signal of the call */
export function callFailure(signal: AbortSignal, error: unknown): CallFailure {
  const label = errorLabel(error);
  return signal.aborted && signal.reason === error && label !== 'client_closed' ? 'cancelled' : label;
}

/** Why the body of an answer broke off. An answer of 4xx or 5xx has failed by its status; its body may be given up for that. */
export function bodyFailure(signal: AbortSignal, status: number, error: Error | undefined): CallFailure | undefined {
  return error === undefined || status >= 400 ? undefined : callFailure(signal, error);
}

/** Whether an answer is a probe's miss, which is what it was sent to find out. */
export function isMiss(upstream: UpstreamAttempt['upstream'], status: number): boolean {
  return upstream === 'conditional-decode' && status === 412;
}

/** Whether an upstream refused a call or failed it. */
export function isRejected(upstream: UpstreamAttempt['upstream'], status: number): boolean {
  return status >= 400 && !isMiss(upstream, status);
}

/** Whether an answer is the async broker's own business, which counts as a success (`coordinator.md` F.1). @param step that gave it */
export function isBrokersAnswer(step: string | undefined, status: number): boolean {
  return step === 'async-broker' && status < 500;
}

/** Whose fault it is, for an upstream's answer that is relayed as it is. */
export function statusLabel(status: number): ErrorLabel {
  return status >= 400 && status < 500 ? 'upstream_4xx' : 'upstream_5xx';
}
