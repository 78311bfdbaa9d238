import { errors } from 'undici';
import { BlockedAddressError } from './guarded-dispatcher.ts';
import { MediaFetchFailure } from './media-fetch.failure.ts';

const BROKEN_TYPES = [
  errors.SocketError,
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
];
const BROKEN_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

/**
 * The reason for what an exchange failed of; the error itself is not kept, its text names hosts and addresses.
 * @throws the error, if it is a fault of ours: all that the network does comes with a code
 */
export function networkFailure(error: unknown): MediaFetchFailure {
  if (error instanceof MediaFetchFailure) return error;
  if (error instanceof BlockedAddressError) return new MediaFetchFailure('address');
  if (error instanceof errors.ConnectTimeoutError) return new MediaFetchFailure('timeout');
  if (BROKEN_TYPES.some((type) => error instanceof type)) return new MediaFetchFailure('broken');
  const code = codeOf(error);
  if (code === undefined || error instanceof errors.InvalidArgumentError) throw error;
  return new MediaFetchFailure(BROKEN_CODES.has(code) ? 'broken' : 'unreachable');
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
