import type { IncomingMessage } from 'node:http';
import type { Rope } from '#json';
import { announcedLength, checkAnnouncedLength, hasBody, readBody, streamBody } from './request-body.ts';

/** Bodies up to this size are read whole, so that a call whose connection broke can be repeated. */
const READ_WHOLE = 64 * 1024;

/** A body that goes on as it came: short ones whole, others as they arrive. */
export interface ForwardedBody {
  /** Undefined where there is none. */
  readonly body: Rope | AsyncIterable<Buffer> | undefined;
  /** What frames it, flat: the length of one that is sent as it arrives, where the client said it. */
  readonly headers: readonly string[];
}

/**
 * @param limit bytes
 * @throws BadRequestError when it is too large, ClientClosedError when it breaks off
 */
export async function forwardedBody(request: IncomingMessage, limit: number): Promise<ForwardedBody> {
  checkAnnouncedLength(request, limit);
  if (!hasBody(request)) return { body: undefined, headers: [] };
  const length = announcedLength(request);
  if (length === undefined) return { body: streamBody(request, limit), headers: [] };
  if (length <= READ_WHOLE) return { body: [await readBody(request, limit)], headers: [] };
  return { body: streamBody(request, limit), headers: ['content-length', String(length)] };
}
