import type { ClientResponse } from '#pipeline';

const TEXT = Buffer.from('Forbidden: prefill target not allowed by SSRF protection\n');

/** The answer to a request whose prefill target is not in the pool: plain text, as upstream's (`sidecar.md` 3.2). */
export function forbiddenTarget(): ClientResponse {
  return {
    status: 403,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-length': String(TEXT.length),
    },
    body: [TEXT],
  };
}
