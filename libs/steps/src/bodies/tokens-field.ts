import { buildObject } from '#json';
import type { Rope } from '#json';
import type { PipelineRequest } from '#pipeline';

/**
 * `tokens: {token_ids, features}` of a chat body, so that no worker tokenizes again; undefined when render made no tokens.
 * `features` has hashes and placeholders as render wrote them, never `kwargs_data`.
 * @see wire.md, "conditional-decode"
 */
export function tokensField({ tokens, features }: PipelineRequest): Rope | undefined {
  if (tokens === undefined) return undefined;
  return buildObject({
    token_ids: tokens.bytes,
    features:
      features === undefined
        ? undefined
        : buildObject({ mm_hashes: features.hashes, mm_placeholders: features.placeholders }),
  });
}
