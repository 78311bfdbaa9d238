import { InternalError } from '#foundation';
import { JsonSyntaxError, validatedObject } from '#json';
import type { JsonObject, JsonValue } from '#json';

/** One call's part of an answer. */
export interface Chunk {
  readonly json: JsonObject;
  /** The first choice and its message. */
  readonly choice: JsonValue | undefined;
  readonly message: JsonValue | undefined;
  /** The text as it stands between its quotes, escapes and all. */
  readonly text: Buffer;
  /** Undefined where it is missing, empty or null. */
  readonly finishReason: string | undefined;
  /** What an engine does not say is undefined. */
  readonly promptTokens: number | undefined;
  readonly completionTokens: number | undefined;
  /** Whether the message has something that a next call cannot go on with: tool calls, reasoning. */
  readonly hasMore: boolean;
}

const NO_TEXT = Buffer.alloc(0);
const MORE = ['tool_calls', 'function_call', 'reasoning_content', 'reasoning', 'refusal', 'audio'];

/** @throws InternalError for an answer that is no JSON object (`sidecar.md` 6) */
export async function readChunk(bytes: Buffer): Promise<Chunk> {
  const json = await parsed(bytes);
  const [choice] = json.get('choices')?.items() ?? [];
  const message = choice?.member('message');
  const usage = json.get('usage');
  return {
    json,
    choice,
    message,
    ...contentOf(message),
    finishReason: reasonOf(choice),
    promptTokens: countOf(usage, 'prompt_tokens'),
    completionTokens: countOf(usage, 'completion_tokens'),
  };
}

/** Whether a member of a message holds anything: `null`, `""` and `[]` do not. */
export function saysSomething(value: JsonValue | undefined): boolean {
  if (value === undefined || value.isNull) return false;
  if (value.kind === 'array') return value.items().next().done === false;
  return value.kind !== 'string' || value.end - value.start > 2;
}

function contentOf(message: JsonValue | undefined): Pick<Chunk, 'text' | 'hasMore'> {
  const content = message?.member('content');
  return {
    text: content?.kind === 'string' ? content.bytes.subarray(1, -1) : NO_TEXT,
    hasMore: content?.kind === 'array' || MORE.some((field) => saysSomething(message?.member(field))),
  };
}

function reasonOf(choice: JsonValue | undefined): string | undefined {
  const reason = choice?.member('finish_reason')?.string;
  return reason === '' ? undefined : reason;
}

async function parsed(bytes: Buffer): Promise<JsonObject> {
  try {
    return await validatedObject(bytes);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new InternalError(error) : error;
  }
}

function countOf(usage: JsonValue | undefined, field: string): number | undefined {
  const count = usage?.kind === 'object' ? usage.member(field)?.number : undefined;
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
