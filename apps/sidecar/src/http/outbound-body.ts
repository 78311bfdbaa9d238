import type { IncomingMessage } from 'node:http';
import type { OutboundBody } from '#disaggregation';
import { announcedLength, checkAnnouncedLength, hasBody, readBody, streamBody } from '#server';

/** Bodies up to this size are read whole, so that a call whose connection broke can be repeated. */
const READ_WHOLE = 64 * 1024;

/**
 * The body of a request, to be sent on as it is; what frames it beside.
 * @param limit bytes
 * @throws BadRequestError when it is too large, ClientClosedError when it breaks off
 */
export async function outboundBody(request: IncomingMessage, limit: number): Promise<OutboundBody> {
  checkAnnouncedLength(request, limit);
  if (!hasBody(request)) return { body: undefined, headers: [] };
  const length = announcedLength(request);
  if (length === undefined) return { body: streamBody(request, limit), headers: [] };
  if (length <= READ_WHOLE) return { body: [await readBody(request, limit)], headers: [] };
  return { body: streamBody(request, limit), headers: ['content-length', String(length)] };
}
