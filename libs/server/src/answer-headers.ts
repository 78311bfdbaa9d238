import { HEADER, HOP_BY_HOP, connectionNames, isInternalAnswerHeader } from '#protocol';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Headers of an upstream's answer as the client gets them: without those of one connection and those between the picker and
 * us, and with the request's own id (`decisions.md` R4, R5b).
 */
export function answerHeaders(upstream: Headers, requestId: string): Record<string, string | string[]> {
  const connection = upstream['connection'];
  const nominated = connectionNames(Array.isArray(connection) ? connection.join(',') : connection);
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(upstream)) {
    if (value === undefined || HOP_BY_HOP.has(name) || nominated.has(name) || isInternalAnswerHeader(name)) continue;
    headers[name] = value;
  }
  headers[HEADER.requestId] = requestId;
  return headers;
}
