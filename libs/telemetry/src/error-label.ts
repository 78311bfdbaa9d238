import {
  BadRequestError,
  ClientClosedError,
  UpstreamConnectionError,
  UpstreamError,
  UpstreamAnswerError,
  UpstreamTimeoutError,
} from '#foundation';
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

/** The same for an upstream's answer that is relayed as it is. */
export function statusLabel(status: number): ErrorLabel {
  return status >= 400 && status < 500 ? 'upstream_4xx' : 'upstream_5xx';
}
