import { decodeString, skipWhitespace, stringEnd } from '#json';
import type { JsonObject, JsonValue } from '#json';

/** Objects of `input` that may point at a stored file. */
const FILE_TYPES: ReadonlySet<string> = new Set(['input_image', 'input_file', 'computer_screenshot']);

/** In upstream's order. */
const STATEFUL = ['previous_response_id', 'conversation', 'background'] as const;

/** Why a responses request cannot be served by a service that keeps no state. */
export interface ResponsesRefusal {
  readonly param: string;
  readonly message: string;
}

/**
 * The first field of a `/v1/responses` request that needs stored state, in upstream's order of checks.
 * @see coordinator.md A.5
 */
export function refusedResponsesField(body: JsonObject): ResponsesRefusal | undefined {
  const stateful = STATEFUL.find((field) => asksForState(field, body.get(field)));
  if (stateful !== undefined) return notSupported(stateful);
  const input = body.get('input');
  if (input === undefined || input.isNull || input.kind === 'string') return undefined;
  if (input.kind !== 'array') {
    return { param: 'input', message: 'field "input" could not be read as a JSON array or string' };
  }
  return input.bytes.includes('file_id') || input.bytes.includes('\\u') ? storedFile(input) : undefined;
}

function notSupported(field: string): ResponsesRefusal {
  return { param: field, message: `field "${field}" is not supported by the router` };
}

/** `background: false` asks for nothing; anything else that is there does. */
function asksForState(field: string, value: JsonValue | undefined): boolean {
  if (value === undefined || value.isNull) return false;
  return field !== 'background' || value.kind !== 'boolean' || value.isTrue;
}

/** What is known of an object while its members are read. */
interface Frame {
  isFile: boolean;
  hasFileId: boolean;
}

/** One pass over the bytes, whatever their nesting: keys are strings before a colon, and an object is judged where it closes. */
function storedFile({ source, start, end }: JsonValue): ResponsesRefusal | undefined {
  const frames: Frame[] = [];
  let pos = start;
  while (pos < end) {
    const byte = source[pos];
    if (byte === QUOTE) {
      pos = readString(source, pos, frames.at(-1));
      continue;
    }
    if (byte === OPEN_BRACE) frames.push({ isFile: false, hasFileId: false });
    if (byte === CLOSE_BRACE) {
      const closed = frames.pop();
      if (closed?.isFile === true && closed.hasFileId) return notSupported('file_id');
    }
    pos++;
  }
  return undefined;
}

/** Notes in the frame what the string says, if it is one of the two keys; returns the position behind it. */
function readString(source: Buffer, start: number, frame: Frame | undefined): number {
  const end = stringEnd(source, start);
  const colon = skipWhitespace(source, end);
  if (source[colon] !== COLON || frame === undefined || end - start > LONGEST_KEY) return end;
  const key = decodeString(source, start, end);
  const value = skipWhitespace(source, colon + 1);
  if (key === 'file_id') frame.hasFileId = source[value] !== LETTER_N;
  // the end of a value that is no string is not looked for: where types nest, that would be one pass for each
  if (key === 'type') {
    frame.isFile = source[value] === QUOTE && FILE_TYPES.has(decodeString(source, value, stringEnd(source, value)));
  }
  return end;
}

const COLON = 0x3a;
/** First letter of `null`. */
const LETTER_N = 0x6e;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** `"file_id"` with each character escaped. */
const LONGEST_KEY = 2 + 7 * 6;
