import type { Interceptor } from '#foundation';
import type { UpstreamAttempt, UpstreamReply } from './upstream-call.ts';

/** Around each try of each call to render or the gateway. The promise settles at the answer's head; its body is observed through `ReplyBody.observe`. */
export type UpstreamCallInterceptor = Interceptor<UpstreamAttempt, UpstreamReply>;

/** The interceptors, outermost first. */
export const UPSTREAM_CALL_INTERCEPTORS = Symbol('gateway:upstream-call-interceptors');
