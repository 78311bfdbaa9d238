import { FeaturesError, readFeatures } from '#protocol';
import type { JsonValue } from '#json';
import { SchedulingError } from '../scheduling.error.ts';
import type { TokenFeature } from '../scheduling-request.ts';

/**
 * The multimodal items among the tokens of a prompt, in the order in which they stand there.
 * @param tokens of the prompt, which every item has to lie in
 * @throws SchedulingError with BadRequest
 */
export function tokenFeatures(features: JsonValue | undefined, tokens: number): readonly TokenFeature[] {
  const entries = entriesOf(features, tokens);
  return entries
    .map(({ modality, hash, offset, length }) => ({ modality, hash, offset, length }))
    .sort((a, b) => a.offset - b.offset);
}

function entriesOf(features: JsonValue | undefined, tokens: number): readonly TokenFeature[] {
  try {
    return readFeatures(features, tokens)?.entries ?? [];
  } catch (error) {
    if (error instanceof FeaturesError) throw new SchedulingError('BadRequest', error.message);
    throw error;
  }
}
