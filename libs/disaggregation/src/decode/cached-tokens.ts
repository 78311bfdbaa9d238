import type { ClientResponse } from '#pipeline';
import { isCoded } from '#protocol';
import { CachedTokensBody } from './cached-tokens.body.ts';
import { editedAnswer } from './cached-tokens.edit.ts';

/** APIs whose usage has `prompt_tokens_details`; in any other's the member would be a stranger. */
const PATHS: ReadonlySet<string> = new Set(['/v1/chat/completions', '/v1/completions', '/inference/v1/generate']);

/**
 * The engine's answer with prefill's count of cached tokens in its usage: the engine counts all that was transferred as cached
 * (`sidecar.md` 7). Every other byte stays; the length is not known beforehand.
 * @param path with or without a query
 */
export async function withCachedTokens(answer: ClientResponse, path: string, count: number): Promise<ClientResponse> {
  const { 'content-length': _length, ...headers } = answer.headers;
  const { status, body } = answer;
  if (isCoded(headers) || !PATHS.has(path.split('?', 1)[0] ?? '')) return { status, headers, body };
  if (!('pipe' in body)) return { status, headers, body: await editedAnswer(body, count) };
  return { status, headers, body: new CachedTokensBody(body, headers, count) };
}
