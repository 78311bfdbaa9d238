import { STATUS_CODES } from 'node:http';

/**
 * The number of a status that the picker says. It is read by its name in `envoy.type.v3.StatusCode`, `PreconditionFailed`, or as the number
 * of one that has no name there. What is neither is 500.
 */
export function statusCode(said: unknown): number {
  const code = typeof said === 'string' ? CODES.get(said.toLowerCase()) : said;
  return typeof code === 'number' && code >= 200 && code <= 599 ? code : 500;
}

/** By phrase, in lower case and letters alone. */
const CODES: ReadonlyMap<string, number> = new Map(
  Object.entries(STATUS_CODES).map(([code, phrase = '']) => [
    phrase.replaceAll(/[^a-z]/gi, '').toLowerCase(),
    Number(code),
  ]),
);
