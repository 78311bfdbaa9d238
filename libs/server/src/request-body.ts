import type { IncomingMessage } from 'node:http';
import { BadRequestError, ByteCollector, ClientClosedError } from '#foundation';

/** Bytes of a refused body that are still read, so that a client in the middle of sending gets to see the answer. */
const LINGER_BYTES = 8 * 1024 * 1024;

/** The length that the client announced; undefined for a chunked body. */
export function announcedLength(request: IncomingMessage): number | undefined {
  const header = request.headers['content-length'];
  return header === undefined ? undefined : Number(header);
}

/** Whether a body comes with the request, be it empty. */
export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || (announcedLength(request) ?? 0) > 0;
}

/** @throws BadRequestError body_too_large when more is announced than may be sent */
export function checkAnnouncedLength(request: IncomingMessage, limit: number): void {
  if ((announcedLength(request) ?? 0) > limit) throw tooLarge(request);
}

/**
 * The whole body.
 * @param onRead told how many bytes have come in so far
 * @throws BadRequestError body_too_large beyond `limit` bytes, announced or not; ClientClosedError when it breaks off
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  onRead: (size: number) => void = () => undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const expected = announcedLength(request);
    const bytes = new ByteCollector(limit, expected);
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      onRead(size);
      if (!bytes.add(chunk)) fail(tooLarge(request));
    };
    const onEnd = (): void => {
      stop();
      resolve(bytes.take());
    };
    const onClose = (): void => {
      fail(new ClientClosedError());
    };
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
    const fail = (error: Error): void => {
      stop();
      // errors of a socket that nobody reads any more are of no interest
      request.on('error', () => undefined);
      reject(error);
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    if ((expected ?? 0) > limit) fail(tooLarge(request));
  });
}

/**
 * The body as it arrives. What nobody takes of it is read on as that of a refused one is, so that the client is not stuck.
 * @throws BadRequestError body_too_large beyond `limit` bytes; ClientClosedError when it breaks off
 */
export async function* streamBody(request: IncomingMessage, limit: number): AsyncGenerator<Buffer, void> {
  let size = 0;
  try {
    // a request without an encoding set gives buffers
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge(request);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof BadRequestError ? error : new ClientClosedError();
  } finally {
    if (!request.readableEnded && request.listenerCount('data') === 0) linger(request);
  }
}

function tooLarge(request: IncomingMessage): BadRequestError {
  linger(request);
  return new BadRequestError('body_too_large', 'request body too large (server.max_request_body_size)');
}

function linger(request: IncomingMessage): void {
  let left = LINGER_BYTES;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
}
