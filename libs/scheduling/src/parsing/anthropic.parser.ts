import { z } from 'zod';
import type { JsonObject, JsonValue } from '#json';
import { HTTP_PROTOCOLS } from '../app-protocol.ts';
import type { Parser } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { SchedulingError } from '../scheduling.error.ts';
import type { ParsedRequest, PromptPiece } from '../scheduling-request.ts';
import { contentPiece } from './content-block.ts';
import { commonFields, fieldsOf, maxTokensOf, openBody, present } from './json-body.ts';
import { paced } from './paced.ts';
import type { Steps } from './paced.ts';
import { inWords } from './prompt-content.ts';
import type { PromptContent } from './prompt-content.ts';

/** Reads the bodies of Anthropic's Messages API. */
@SchedulingPlugin({ type: 'anthropic-parser', parameters: z.strictObject({}).prefault({}) })
export class AnthropicParser implements Parser {
  readonly suffixes = ['messages'];
  readonly appProtocols = HTTP_PROTOCOLS;

  /** @throws SchedulingError with BadRequest */
  async parse(body: Buffer): Promise<ParsedRequest> {
    const object = await openBody(body);
    const { words, hasMedia } = await paced(messagesContent(object));
    return {
      ...commonFields(object),
      hasMedia,
      maxTokens: maxTokensOf(object.get('max_tokens')),
      prompts: () => [],
      words,
    };
  }
}

/** Tools, the system prompt and the messages, in the order in which a worker has them in its prompt. */
function* messagesContent(body: JsonObject): Steps<PromptContent> {
  const messages = body.get('messages');
  if (messages?.kind !== 'array' || messages.items().next().done === true) throw noMessages();
  const pieces: PromptPiece[] = [];
  const tools = present(body.get('tools'));
  if (tools !== undefined && tools.items().next().done !== true) pieces.push({ kind: 'json', value: tools });
  yield* addContent(pieces, body.get('system'));
  for (const message of messages.items()) {
    if (message.kind !== 'object') throw noMessages();
    const fields = fieldsOf(message);
    const role = fields.get('role');
    if (role?.kind === 'string') pieces.push({ kind: 'text', value: role });
    yield* addContent(pieces, fields.get('content'));
    yield;
  }
  return inWords([pieces]);
}

/** A text, or a list of blocks. */
function* addContent(pieces: PromptPiece[], content: JsonValue | undefined): Steps<void> {
  if (content?.kind === 'string') pieces.push({ kind: 'text', value: content });
  for (const block of content?.items() ?? []) {
    const answered = memberOf(block, 'type')?.string === 'tool_result' ? memberOf(block, 'content') : undefined;
    if (answered === undefined) addBlock(pieces, block);
    else yield* addAnswer(pieces, answered);
    yield;
  }
}

/** What a tool said is content, too, of which no block holds more of it: depth is not the client's to choose. */
function* addAnswer(pieces: PromptPiece[], content: JsonValue): Steps<void> {
  if (content.kind === 'string') pieces.push({ kind: 'text', value: content });
  for (const block of content.items()) {
    addBlock(pieces, block);
    yield;
  }
}

function addBlock(pieces: PromptPiece[], block: JsonValue): void {
  const isImage = memberOf(block, 'type')?.string === 'image';
  const piece = isImage ? imagePiece(memberOf(block, 'source')) : contentPiece(block);
  if (piece !== undefined) pieces.push(piece);
}

function memberOf(value: JsonValue, key: string): JsonValue | undefined {
  return value.kind === 'object' ? value.member(key) : undefined;
}

/** `{type: url, url}`, or `{type: base64, media_type, data}`. */
function imagePiece(source: JsonValue | undefined): PromptPiece {
  const parts = [source?.member('url'), source?.member('media_type'), source?.member('data')];
  const content = parts.flatMap((part) => (part?.kind === 'string' ? [part] : []));
  return { kind: 'media', modality: 'image', content };
}

function noMessages(): SchedulingError {
  return new SchedulingError('BadRequest', 'invalid messages request: must have valid messages field');
}
