import { JsonSyntaxError, joinRope, jsonString, rawJson, validatedObject } from '#json';
import type { JsonObject, JsonValue } from '#json';
import { SchedulingError } from '../scheduling.error.ts';
import type { ParsedRequest } from '../scheduling-request.ts';

/** What every JSON body says in the same words. */
export type CommonFields = Required<Pick<ParsedRequest, 'isStream' | 'cacheSalt' | 'withModel'>> &
  Pick<ParsedRequest, 'model'>;

/** The body as an object, all of it checked. @throws SchedulingError with BadRequest */
export async function openBody(body: Buffer): Promise<JsonObject> {
  try {
    return await validatedObject(body);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new SchedulingError('BadRequest', `error unmarshaling request bodyMap: ${error.message}`);
  }
}

/**
 * Of a repeated key the last one counts, and it is the only one that a body with another model has.
 * @param sent the body as it goes on, but for its model
 */
export function commonFields(body: JsonObject, sent = body): CommonFields {
  const own = body.get('model')?.string;
  return {
    model: own,
    isStream: body.get('stream')?.isTrue ?? false,
    cacheSalt: body.get('cache_salt')?.string ?? '',
    withModel: (model) => joinRope((model === own ? sent : sent.set('model', rawJson(jsonString(model)))).toRope()),
  };
}

/** The first of the values that is a limit on tokens. */
export function maxTokensOf(...values: readonly (JsonValue | undefined)[]): number | undefined {
  return values.map((value) => value?.number).find((limit) => Number.isSafeInteger(limit) && Number(limit) >= 0);
}

/** Members of an object by key, of repeated keys the last; none of any other value. */
export function fieldsOf(value: JsonValue): ReadonlyMap<string, JsonValue> {
  return new Map(value.members().map((member) => [member.key, value.at(member)]));
}

/** Undefined for null, which counts as absent. */
export function present(value: JsonValue | undefined): JsonValue | undefined {
  return value === undefined || value.isNull ? undefined : value;
}
