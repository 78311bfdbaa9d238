import { BadRequestError } from '#foundation';

/**
 * A media part that is wrong in itself, before anything is fetched for it.
 * @param param the part, such as `messages[0].content[1]`; the message names it too, since client libraries show only that
 * @param what holds nothing of the part's content
 * @see decisions.md M1
 */
export function invalidMedia(param: string, what: string): BadRequestError {
  return new BadRequestError('invalid_media', `${param}: ${what}`, { param });
}
