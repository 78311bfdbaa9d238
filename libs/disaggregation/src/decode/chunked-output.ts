import { buildObject, joinRope, memberSplices, rawJson } from '#json';
import type { JsonValue, Rope, Splice } from '#json';
import { saysSomething } from './chunked-answer.ts';
import type { Chunk } from './chunked-answer.ts';
import type { ChunkedUsage } from './chunked-progress.ts';

const QUOTE = Buffer.from('"');
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const ASSISTANT = '"assistant"';
const NULL = 'null';
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/**
 * The answer to a client that does not stream: the last chunk with the text and the usage of all, and its first choice only.
 * @param text of all chunks, as it stands between quotes
 */
export function wholeAnswer({ json, choice, message }: Chunk, text: Rope, usage: ChunkedUsage): Rope {
  if (choice === undefined) return json.set('usage', usageJson(usage)).toRope();
  const isSplit = message?.kind === 'object' && text.length > 0;
  const joined = isSplit ? json.splice(memberSplices(message, 'content', [QUOTE, ...text, QUOTE])) : json;
  return joined.setAll({ choices: [OPEN, ...joined.bytesOf(choice), CLOSE], usage: usageJson(usage) }).toRope();
}

/** The event of one chunk; a chunk that is not the last finishes nothing, and has no more than text. */
export function chunkEvent({ json, choice, message }: Chunk, isLast: boolean): Buffer {
  const event = json.setAll({ choices: choicesOf(choice, message, isLast), usage: undefined });
  return eventOf(event.toRope());
}

/** What ends a stream: the usage of all chunks, and the sign that nothing follows. */
export function lastEvents(usage: ChunkedUsage): Buffer {
  return Buffer.concat([
    eventOf(buildObject({ usage: usageJson(usage), choices: '[]' })),
    Buffer.from('data: [DONE]\n\n'),
  ]);
}

function usageJson({ promptTokens, completionTokens }: ChunkedUsage): Rope {
  const total = promptTokens + completionTokens;
  return rawJson(`{"prompt_tokens":${promptTokens},"completion_tokens":${completionTokens},"total_tokens":${total}}`);
}

function choicesOf(choice: JsonValue | undefined, message: JsonValue | undefined, isLast: boolean): Rope {
  if (choice === undefined) return rawJson('[]');
  const event = buildObject({
    index: choice.member('index')?.bytes ?? '0',
    finish_reason: (isLast ? choice.member('finish_reason')?.bytes : undefined) ?? NULL,
    delta: deltaOf(message, isLast),
  });
  return [OPEN, ...event, CLOSE];
}

function deltaOf(message: JsonValue | undefined, isLast: boolean): Rope {
  const content = message?.member('content')?.bytes ?? NULL;
  return buildObject({ ...(isLast ? moreOf(message) : {}), content, role: ASSISTANT });
}

/** Every member of the message that says something: tool calls, reasoning. */
function moreOf(message: JsonValue | undefined): Record<string, Rope> {
  const more: Record<string, Rope> = {};
  for (const member of message?.members() ?? []) {
    const value = message?.at(member);
    if (value === undefined || !saysSomething(value)) continue;
    more[member.key] = member.key === 'tool_calls' ? numbered(value) : [value.bytes];
  }
  return more;
}

/** In a stream, a tool call says its place. */
function numbered(calls: JsonValue): Rope {
  const items = Array.from(calls.items(), (call, index) => {
    const isWanting = call.kind === 'object' && call.member('index') === undefined;
    return isWanting ? spliced(call, memberSplices(call, 'index', rawJson(String(index)))) : [call.bytes];
  });
  return [OPEN, ...items.flatMap((item, index) => (index === 0 ? item : [Buffer.from(','), ...item])), CLOSE];
}

function spliced(value: JsonValue, splices: readonly Splice[]): Rope {
  const parts: Buffer[] = [];
  let at = value.start;
  for (const { start, end, insert } of splices) {
    parts.push(value.source.subarray(at, start), ...insert);
    at = end;
  }
  return [...parts, value.source.subarray(at, value.end)];
}

/** A line of data has no line end in it, which JSON may have between its tokens. */
function eventOf(json: Rope): Buffer {
  const line = Buffer.concat([Buffer.from('data: '), joinRope(json), Buffer.from('\n\n')]);
  for (let pos = 0; pos < line.length - 2; pos++) {
    if (line[pos] === LF || line[pos] === CR) line[pos] = SPACE;
  }
  return line;
}
