import type { RequestHeaders } from '../scheduling-request.ts';

/** Headers that tell the path of a request, the first one that is there counts. */
const SOURCES = [':path', 'x-original-path', 'x-forwarded-path'];

/** The path by which a parser is chosen, without its query (`epp.md` 6). */
export function requestPath(headers: RequestHeaders): string {
  const found = SOURCES.map((name) => headers.get(name)).find((path) => path !== undefined && path !== '');
  const [path = ''] = (found ?? '/v1/completions').split('?', 1);
  return path;
}
