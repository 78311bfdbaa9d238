/** A request that a real server would refuse, answered as vLLM answers it. `message` names what is wrong on the wire. */
export class WireError extends Error {
  constructor(
    message: string,
    readonly status = 400,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'WireError';
  }

  /** vLLM's error object: `code` is the HTTP status. */
  body(): { error: { message: string; type: string; param: null; code: number } } {
    return {
      error: {
        message: this.message,
        type: TYPES[this.status] ?? 'InternalServerError',
        param: null,
        code: this.status,
      },
    };
  }
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  404: 'NotFoundError',
  405: 'MethodNotAllowedError',
  412: 'PreconditionFailedError',
  429: 'RateLimitError',
  503: 'ServiceUnavailableError',
};
