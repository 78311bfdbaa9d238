import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { JsonObject } from './json-object.ts';
import { JsonSyntaxError } from './json-syntax.error.ts';
import { JsonValidator } from './json-validator.ts';
import { OPEN_BRACE, skipWhitespace } from './json-bytes.ts';

/** Bytes walked between two turns of the event loop: about 2 ms. */
const BUDGET = 2 * 1024 * 1024;

/**
 * The JSON object that `source` holds, all of it checked: UTF-8, RFC 8259, `MAX_DEPTH`. A large document is read over several
 * turns of the event loop; a small one at once.
 * @throws JsonSyntaxError
 */
export async function validatedObject(source: Buffer): Promise<JsonObject> {
  if (!isUtf8(source)) throw new JsonSyntaxError('syntax', 0);
  const validator = new JsonValidator(source);
  while (!validator.run(BUDGET)) await nextTurn();
  const start = skipWhitespace(source, 0);
  if (source[start] !== OPEN_BRACE) throw new JsonSyntaxError('kind', start);
  return JsonObject.of(source, validator.members);
}
