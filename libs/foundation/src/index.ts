export { ByteCollector } from './byte-collector.ts';
export { digest } from './digest.ts';
export { ERROR_CODES } from './error-codes.ts';
export type { ErrorCode, ErrorFacts } from './error-codes.ts';
export { asCoordinatorError, errorBody, errorResponse } from './error-response.ts';
export type { ErrorResponse } from './error-response.ts';
export {
  BadRequestError,
  ClientClosedError,
  CoordinatorError,
  DrainingError,
  InternalError,
  UpstreamAnswerError,
  UpstreamConnectionError,
  UpstreamError,
  UpstreamTimeoutError,
} from './errors.ts';
export type { RelayedHeaders } from './errors.ts';
export { compose } from './interceptor.ts';
export type { Interceptor } from './interceptor.ts';
export { Lifecycle } from './lifecycle.ts';
export type { InFlight, LifecyclePhase } from './lifecycle.ts';
export { mapLimit } from './map-limit.ts';
export { Pacer } from './pacer.ts';
export { requestId } from './request-id.ts';
export type { RequestId } from './request-id.ts';
