/** Why a command came to nothing, in a closed set. `reply`: the server refused it. */
export type BrokerFailure = 'offline' | 'timeout' | 'closed' | 'reply' | 'other';

/**
 * Redis did not do what it was asked. Neither the message nor a cause has the server's words: an error of Redis may quote the
 * command, and with it a prompt.
 */
export class BrokerError extends Error {
  constructor(
    readonly failure: BrokerFailure,
    /** One word: the server's error code such as `OOM`, or the system's such as `ECONNREFUSED`. */
    readonly detail: string,
  ) {
    super(`redis: ${failure} (${detail})`);
    this.name = 'BrokerError';
  }
}

const BY_NAME: Readonly<Record<string, BrokerFailure>> = {
  ClientOfflineError: 'offline',
  ClientClosedError: 'closed',
  SocketClosedUnexpectedlyError: 'closed',
  DisconnectsClientError: 'closed',
  ConnectionTimeoutError: 'timeout',
  SocketTimeoutError: 'timeout',
  TimeoutError: 'timeout',
  ErrorReply: 'reply',
  SimpleError: 'reply',
  BlobError: 'reply',
};

/** Anything that the client library rejects with. */
export function brokerError(error: unknown): BrokerError {
  if (error instanceof BrokerError) return error;
  if (!isErrorLike(error)) return new BrokerError('other', 'unknown');
  const failure = BY_NAME[error.constructor.name];
  // "WRONGTYPE Operation against a key…": the first word is the code, what follows may be anything
  if (failure === 'reply') return new BrokerError(failure, /^[A-Z]+(?= |$)/.exec(error.message)?.[0] ?? 'ERR');
  if ('code' in error && typeof error.code === 'string') return new BrokerError('offline', error.code);
  return new BrokerError(failure ?? 'other', error.constructor.name);
}

/** An error by its shape: one of the system may come from another realm than ours. */
function isErrorLike(error: unknown): error is Error {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
}
