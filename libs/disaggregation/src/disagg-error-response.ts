import { UpstreamConnectionError } from '#foundation';
import type { CoordinatorError, ErrorResponse } from '#foundation';

const TYPES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  413: 'BadRequestError',
  500: 'InternalServerError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
};

/**
 * The answer to a request that failed here, in vLLM's shape: `{"object":"error","message","type","param":"","code"}` (`sidecar.md` 11).
 * An engine that refuses the connection is a 503, so that the request is tried elsewhere; any other worker is a 502.
 */
export function disaggErrorResponse(error: CoordinatorError, requestId: string): ErrorResponse {
  const status = statusOf(error);
  const advice = isEngineAway(error) ? ': check that it runs, and that --model-server-port is its port' : '';
  const message = `${error.message}${advice} (request_id: ${requestId})`;
  const type = TYPES[status] ?? (status < 500 ? 'BadRequestError' : 'InternalServerError');
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
    body: JSON.stringify({ object: 'error', message, type, param: '', code: status }),
  };
}

function statusOf(error: CoordinatorError): number {
  if (error.code === 'upstream_rejected' || error.code === 'upstream_failed') return 502;
  return isEngineAway(error) ? 503 : error.status;
}

function isEngineAway(error: CoordinatorError): boolean {
  return error instanceof UpstreamConnectionError && error.step === 'decode' && error.reason === 'refused';
}
