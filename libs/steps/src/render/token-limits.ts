import { BadRequestError } from '#foundation';
import type { TokenArray } from '#json';
import type { Features } from '#protocol';
import type { RenderParams } from './render.params.ts';

/** @throws BadRequestError too_many_tokens */
export function checkTokenLimits(tokens: TokenArray, features: Features | undefined, params: RenderParams): void {
  const { max_total_tokens: maxTotal, max_total_placeholder_tokens: maxPlaceholders } = params;
  check('total tokens', tokens.count, maxTotal);
  if (maxPlaceholders === 0 || features === undefined) return;
  check(
    'total placeholder tokens',
    features.entries.reduce((sum, entry) => sum + entry.length, 0),
    maxPlaceholders,
  );
}

function check(what: string, count: number, limit: number): void {
  if (limit === 0 || count <= limit) return;
  throw new BadRequestError('too_many_tokens', `too many ${what}: got ${count}, max ${limit}`);
}
