import { BadRequestError, CoordinatorError, InternalError, UpstreamError } from './errors.ts';

/** What a client is told: OpenAI's error object, the status and the headers that go with it. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Anything thrown, as an error with a status. */
export function asCoordinatorError(error: unknown): CoordinatorError {
  return error instanceof CoordinatorError ? error : new InternalError(error);
}

/** OpenAI's `type` for a status, as its client libraries expect it. */
function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  if (status === 504) return 'timeout_error';
  return status < 500 ? 'invalid_request_error' : 'api_error';
}

/**
 * The JSON text of `{"error": {message, type, param, code}}`. `message` ends with the request id, so that a user's report leads to the log.
 * @see decisions.md R2
 */
export function errorBody(error: CoordinatorError, requestId: string): string {
  return JSON.stringify({
    error: {
      message: `${error.message} (request_id: ${requestId})`,
      type: typeOf(error.status),
      param: error instanceof BadRequestError ? (error.param ?? null) : null,
      code: error.code,
    },
  });
}

/** The one place that turns an error into an HTTP answer. */
export function errorResponse(error: CoordinatorError, requestId: string): ErrorResponse {
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      ...(error instanceof UpstreamError ? error.relayed : {}),
    },
    body: errorBody(error, requestId),
  };
}
