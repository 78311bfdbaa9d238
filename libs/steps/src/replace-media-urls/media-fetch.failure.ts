import { BadRequestError } from '#foundation';

/** Why a download failed, for metrics and logs. The client is never told. */
export type MediaFailureReason =
  /** Not a URL, or too long for one. */
  | 'url'
  | 'scheme'
  | 'userinfo'
  | 'port'
  | 'domain'
  /** A special-purpose address, literal or resolved. */
  | 'address'
  /** The name does not resolve, the connection is refused, TLS fails. */
  | 'unreachable'
  | 'timeout'
  | 'redirects'
  | 'status'
  /** A content-coded answer. */
  | 'encoding'
  /** Larger than the cap of its kind. */
  | 'size'
  /** Larger than what was left of the request's total. */
  | 'total_size'
  | 'empty'
  /** Shorter or longer than announced, or cut. */
  | 'broken'
  | 'type';

/** The cause of a `media_fetch_failed`. It holds nothing but the reason: no URL, no address, no system error that names one. */
export class MediaFetchFailure extends Error {
  constructor(
    readonly reason: MediaFailureReason,
    /** What the origin answered, where that was the reason. */
    readonly status?: number,
  ) {
    super(reason);
    this.name = 'MediaFetchFailure';
  }
}

/**
 * The one answer to every cause, so that nobody can map the network from outside.
 * @param param the part at fault, such as `messages[0].content[1]`
 * @see decisions.md M2
 */
export function mediaFetchFailed(cause: MediaFetchFailure, param: string): BadRequestError {
  return new BadRequestError('media_fetch_failed', 'the media could not be fetched', { param, cause });
}
