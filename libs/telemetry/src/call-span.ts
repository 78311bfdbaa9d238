import type { Attributes, Span } from '@opentelemetry/api';
import type { UpstreamAttempt, UpstreamReply } from '#gateway';
import { ATTRIBUTES } from './attributes.ts';
import { bodyFailure, callFailure } from './error-label.ts';
import { failSpan } from './tracing.ts';

/** What else there is to say of a call. */
export interface CallFollowing {
  readonly isFailure: (status: number) => boolean;
  /** At the end of the answer, before the span's own. */
  readonly onEnd?: (reply: UpstreamReply) => void;
}

/** A call in its span, which ends with the last byte of the answer, or with what kept it from coming. */
export async function inCallSpan(
  span: Span,
  attempt: UpstreamAttempt,
  next: () => Promise<UpstreamReply>,
  { isFailure, onEnd }: CallFollowing,
): Promise<UpstreamReply> {
  try {
    const reply = await next();
    span.setAttribute(ATTRIBUTES.status, reply.status);
    if (isFailure(reply.status)) failSpan(span, String(reply.status));
    reply.body.observe({
      end: (error) => {
        const failure = bodyFailure(attempt.signal, reply.status, error);
        if (failure !== undefined) failSpan(span, failure);
        onEnd?.(reply);
        span.end();
      },
    });
    return reply;
  } catch (error) {
    failSpan(span, callFailure(attempt.signal, error));
    span.end();
    throw error;
  }
}

/** Whom a call goes to, and the how manyth try it is. */
export function callAttributes({ base, path, method, attempt }: UpstreamAttempt): Attributes {
  const { hostname, port, protocol, pathname } = new URL(base);
  return {
    [ATTRIBUTES.method]: method,
    [ATTRIBUTES.path]: (pathname === '/' ? '' : pathname) + (path.split('?', 1)[0] ?? ''),
    [ATTRIBUTES.serverAddress]: hostname,
    [ATTRIBUTES.serverPort]: Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port),
    ...(attempt === 0 ? {} : { [ATTRIBUTES.resend]: attempt }),
  };
}
