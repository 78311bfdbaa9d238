import type { IncomingMessage } from 'node:http';

/** Path and query. A target in absolute form names a host too, which is not the client's to choose. */
export function targetOf(request: IncomingMessage): string {
  const target = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  return target.startsWith('/') ? target : `/${target}`;
}
