import { JsonObject, JsonSyntaxError, JsonValidator, joinRope, memberSplices, rawJson, validatedObject } from '#json';
import type { JsonValue, Rope, Splice } from '#json';

const DETAILS = 'prompt_tokens_details';
const COUNT = 'cached_tokens';

/** `usage.prompt_tokens_details.cached_tokens` of an answer; 0 where it is missing, or no count. */
export function cachedTokensOf(answer: JsonObject): number {
  const usage = answer.get('usage');
  const details = usage?.kind === 'object' ? usage.member(DETAILS) : undefined;
  const count = details?.kind === 'object' ? details.member(COUNT)?.number : undefined;
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : 0;
}

/** A whole answer with the count in its usage; as it is where it has no usage, or is no JSON object. */
export async function editedAnswer(bytes: Rope, count: number): Promise<Rope> {
  try {
    return edited(await validatedObject(joinRope(bytes)), count) ?? bytes;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return bytes;
    throw error;
  }
}

/**
 * The same for the data of one event.
 * @returns undefined where nothing is to be changed
 */
export function editedEvent(bytes: Buffer, count: number): Rope | undefined {
  try {
    const validator = new JsonValidator(bytes);
    validator.run();
    return edited(JsonObject.of(bytes, validator.members), count);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function edited(json: JsonObject, count: number): Rope | undefined {
  const usage = json.get('usage');
  if (usage?.kind !== 'object') return undefined;
  const splices = countSplices(usage, count);
  return splices.length === 0 ? undefined : json.splice(splices).toRope();
}

function countSplices(usage: JsonValue, count: number): readonly Splice[] {
  const details = usage.member(DETAILS);
  if (details?.kind !== 'object') return memberSplices(usage, DETAILS, rawJson(`{"${COUNT}":${count}}`));
  return details.member(COUNT)?.number === count ? [] : memberSplices(details, COUNT, rawJson(String(count)));
}
