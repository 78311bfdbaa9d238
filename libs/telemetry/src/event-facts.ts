/** Keys whose non-empty value is output: chat deltas, completions, generate. */
const OUTPUT_KEYS = [
  '"content"',
  '"text"',
  '"reasoning_content"',
  '"reasoning"',
  '"tool_calls"',
  '"token_ids"',
  '"refusal"',
  '"function_call"',
  '"audio"',
].map((key) => Buffer.from(key));
const DELTA = Buffer.from('"delta"');
const FINISH = Buffer.from('"finish_reason"');
const ERROR = Buffer.from('"error"');
const TYPE = Buffer.from('"type"');
const RESPONSES_TYPE = Buffer.from('"response.');

const COLON = 0x3a;
const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;

/** What one event of a stream says. */
export interface EventFacts {
  /** A text that is not empty, tool calls, token ids. A role alone, a finish reason or usage is none. */
  readonly carriesOutput: boolean;
  /** `completed` and `incomplete` for the end of a responses stream. */
  readonly finishReasons: readonly string[];
  /** Whether it says that the generation failed. */
  readonly isFailure: boolean;
}

/**
 * Reads an event's JSON by a few native searches; the event is not parsed. A quote inside a string is escaped, so that what looks
 * like a key is a string of its own, and one when a colon follows.
 */
export function eventFacts(json: Buffer): EventFacts {
  const type = responsesType(json);
  if (type !== undefined) {
    return {
      carriesOutput: hasValue(json, DELTA),
      finishReasons: type === 'completed' || type === 'incomplete' ? [type] : NONE,
      isFailure: type === 'failed',
    };
  }
  const carriesOutput = OUTPUT_KEYS.some((key) => hasValue(json, key));
  return { carriesOutput, finishReasons: finishReasons(json), isFailure: !carriesOutput && isFailure(json) };
}

/** The finish reasons of the choices in an event's or an answer's JSON. */
export function finishReasons(json: Buffer): readonly string[] {
  let reasons: string[] | undefined;
  for (let at = json.indexOf(FINISH); at !== -1; at = json.indexOf(FINISH, at + FINISH.length)) {
    const value = valueStart(json, at + FINISH.length);
    if (value === -1 || json[value] !== QUOTE) continue;
    const end = json.indexOf(QUOTE, value + 1);
    if (end === -1 || end - value > MAX_REASON_LENGTH) continue;
    reasons ??= [];
    if (reasons.push(json.toString('utf8', value + 1, end)) === MAX_REASONS) break;
  }
  return reasons ?? NONE;
}

/** Position of the value behind a key that ends at `pos`; -1 when it is no key. */
export function valueStart(json: Buffer, pos: number): number {
  const at = skipSpaces(json, pos);
  return json[at] === COLON ? skipSpaces(json, at + 1) : -1;
}

/** Of `"type": "response.completed"`, the last word; undefined for what is no event of the responses API. */
function responsesType(json: Buffer): string | undefined {
  for (let at = json.indexOf(RESPONSES_TYPE); at !== -1; at = json.indexOf(RESPONSES_TYPE, at + 1)) {
    if (!isValueOf(TYPE, json, at)) continue;
    const from = at + RESPONSES_TYPE.length;
    return json.toString('latin1', from, json.indexOf(QUOTE, from));
  }
  return undefined;
}

/** The worker's own error event, of whichever API. */
function isFailure(json: Buffer): boolean {
  for (let at = json.indexOf(ERROR); at !== -1; at = json.indexOf(ERROR, at + 1)) {
    const value = json[valueStart(json, at + ERROR.length)];
    if (value === OPEN_BRACE || value === QUOTE || isValueOf(TYPE, json, at)) return true;
  }
  return false;
}

/** Whether some occurrence of the key has a value with something in it. */
function hasValue(json: Buffer, key: Buffer): boolean {
  for (let at = json.indexOf(key); at !== -1; at = json.indexOf(key, at + key.length)) {
    const value = valueStart(json, at + key.length);
    const byte = value === -1 ? undefined : json[value];
    if (byte === QUOTE && json[value + 1] !== QUOTE) return true;
    if (byte === OPEN_BRACKET && json[skipSpaces(json, value + 1)] !== CLOSE_BRACKET) return true;
    // an object is output where it stands for a call or a sound; any other has keys of its own, which decide
    if (byte === OPEN_BRACE && (key.includes('function_call') || key.includes('audio'))) return true;
  }
  return false;
}

/** Whether the string at `pos` is the value of that key. */
function isValueOf(key: Buffer, json: Buffer, pos: number): boolean {
  let at = pos - 1;
  while (isSpace(json[at])) at--;
  if (json[at] !== COLON) return false;
  at--;
  while (isSpace(json[at])) at--;
  const start = at + 1 - key.length;
  return start >= 0 && json.compare(key, 0, key.length, start, at + 1) === 0;
}

function skipSpaces(json: Buffer, pos: number): number {
  while (isSpace(json[pos])) pos++;
  return pos;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

const NONE: readonly string[] = [];
const MAX_REASONS = 16;
const MAX_REASON_LENGTH = 32;
