/** What stands behind a code. */
export interface ErrorFacts {
  /** HTTP status that the client is answered with. */
  readonly status: number;
  /** When it is another status. */
  readonly or?: string;
  /** For the reader of `docs/errors.md`, which is made from this table. */
  readonly meaning: string;
}

/** Every error made here, by its stable code. What a worker answers to decode or a passthrough is not among them: it is relayed. */
export const ERROR_CODES = {
  invalid_body: {
    status: 400,
    meaning: 'The body is not a JSON object, not UTF-8 or nested too deeply, it broke off, or the request is not HTTP.',
  },
  invalid_value: {
    status: 400,
    or: 'another 4xx for what the HTTP framework refuses',
    meaning: 'A field does not hold what it must; `param` names it.',
  },
  unsupported_field: {
    status: 400,
    meaning: 'A field of `/v1/responses` needs state that no part of the cluster keeps; `param` names it.',
  },
  batched_prompt: { status: 400, meaning: '`prompt` holds several prompts. Send one request for each.' },
  too_many_tokens: {
    status: 400,
    meaning:
      'The prompt has more tokens than `max_total_tokens` or `max_total_placeholder_tokens` of the render step allow.',
  },
  too_many_media: {
    status: 400,
    meaning: 'More media parts than `max_multimodal_entries` of replace-media-urls, or than any request may have.',
  },
  invalid_media: {
    status: 400,
    meaning: 'A media part is malformed or of a type that is not accepted; `param` names it.',
  },
  media_fetch_failed: {
    status: 400,
    meaning:
      'The media behind a URL could not be had; `param` names the part. The reason is in the log only, so that nobody can probe the network.',
  },
  not_found: { status: 404, meaning: 'No such path, and `server.passthrough` is off.' },
  method_not_allowed: { status: 405, meaning: 'The path takes POST only.' },
  request_timeout: { status: 408, meaning: 'The request did not arrive within `server.read_timeout`.' },
  body_too_large: { status: 413, meaning: 'The body is larger than `server.max_request_body_size`.' },
  unsupported_encoding: {
    status: 415,
    meaning: 'The body has a `content-encoding` other than `identity`. Send it as it is.',
  },
  expectation_failed: { status: 417, meaning: '`expect` holds something other than `100-continue`.' },
  headers_too_large: { status: 431, meaning: 'The request headers are larger than the HTTP parser takes.' },
  client_closed: {
    status: 499,
    meaning: 'The client left before its answer was whole. Recorded in logs and metrics, never sent.',
  },
  internal: { status: 500, meaning: 'A fault of the coordinator itself; its log has the request id.' },
  upstream_rejected: {
    status: 400,
    or: 'whichever 4xx the upstream answered',
    meaning: 'Render, encode or prefill refused the request. `Retry-After` is passed on.',
  },
  upstream_failed: {
    status: 502,
    or: '503 or 504 when the upstream answered that',
    meaning: 'Render, encode or prefill answered 5xx, or something that is no success. `Retry-After` is passed on.',
  },
  upstream_unreachable: {
    status: 502,
    meaning: 'No connection could be made, or it broke before the answer was whole.',
  },
  upstream_invalid_answer: {
    status: 502,
    meaning: 'An upstream answered with success, but not with what the step needs.',
  },
  draining: { status: 503, meaning: 'The coordinator is shutting down. Try another replica.' },
  upstream_timeout: { status: 504, meaning: 'An upstream took longer than its limit; the message names the setting.' },
} as const satisfies Readonly<Record<string, ErrorFacts>>;

/** Stable code of an error, `error.code` in its body. */
export type ErrorCode = keyof typeof ERROR_CODES;
