import type { JsonObject, JsonValue } from '#json';
import { SchedulingError } from '../scheduling.error.ts';
import type { PromptPiece } from '../scheduling-request.ts';
import { contentPiece } from './content-block.ts';
import { fieldsOf } from './json-body.ts';
import { inWords, oneOfIds } from './prompt-content.ts';
import type { PromptContent } from './prompt-content.ts';
import type { Steps } from './paced.ts';

/**
 * The prompt of a chat: the ids that whoever tokenized it put beside it, or else its tools and messages in their order.
 * @throws SchedulingError with BadRequest
 */
export function* chatContent(body: JsonObject): Steps<PromptContent> {
  const messages = body.get('messages');
  if (messages?.kind !== 'array' || messages.items().next().done === true) throw noMessages();
  const own = yield* ownTokens(body.get('tokens'));
  if (own !== undefined) return own;
  const pieces: PromptPiece[] = [];
  const tools = body.get('tools');
  if (tools !== undefined && tools.items().next().done !== true) pieces.push({ kind: 'json', value: tools });
  for (const message of messages.items()) {
    if (message.kind !== 'object') throw noMessages();
    yield* addMessage(pieces, message);
    yield;
  }
  return inWords([pieces]);
}

/** `tokens: {token_ids, features?}`; a field of that name with anything else in it is the client's own. */
function* ownTokens(tokens: JsonValue | undefined): Steps<PromptContent | undefined> {
  if (tokens === undefined) return undefined;
  const fields = fieldsOf(tokens);
  const ids = fields.get('token_ids');
  if (ids === undefined || ids.isNull) return undefined;
  const content = yield* oneOfIds(ids, 'tokens.token_ids', fields.get('features'));
  return content.prompts.every((prompt) => prompt.ids.length === 0) ? undefined : content;
}

function* addMessage(pieces: PromptPiece[], message: JsonValue): Steps<void> {
  const fields = fieldsOf(message);
  const role = fields.get('role');
  const content = fields.get('content');
  if (role?.kind === 'string') pieces.push({ kind: 'text', value: role });
  if (content?.kind === 'string') pieces.push({ kind: 'text', value: content });
  for (const block of content?.items() ?? []) {
    const piece = contentPiece(block);
    if (piece !== undefined) pieces.push(piece);
    yield;
  }
}

function noMessages(): SchedulingError {
  return new SchedulingError('BadRequest', 'invalid chat completions request: must have valid messages field');
}
