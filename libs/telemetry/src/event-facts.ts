/** Keys whose non-empty value is output: chat deltas, completions, generate, responses deltas. */
const OUTPUT_KEYS = [
  '"content"',
  '"text"',
  '"reasoning_content"',
  '"reasoning"',
  '"tool_calls"',
  '"token_ids"',
  '"delta"',
  '"refusal"',
  '"function_call"',
  '"audio"',
].map((key) => Buffer.from(key));
const FINISH = Buffer.from('"finish_reason"');
const STATUS_COMPLETED = Buffer.from('"response.completed"');

const COLON = 0x3a;
const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;

/**
 * Whether the event's JSON carries output: a text that is not empty, tool calls, token ids. A role alone, a finish reason or
 * usage is none. It is decided by a few native searches; the event is not parsed.
 */
export function carriesOutput(json: Buffer): boolean {
  return OUTPUT_KEYS.some((key) => hasValue(json, key));
}

/** Whether some occurrence of the key has a value with something in it. */
function hasValue(json: Buffer, key: Buffer): boolean {
  for (let at = json.indexOf(key); at !== -1; at = json.indexOf(key, at + key.length)) {
    const value = valueStart(json, at + key.length);
    const byte = value === -1 ? undefined : json[value];
    const next = value === -1 ? undefined : json[value + 1];
    if (byte === QUOTE && next !== QUOTE) return true;
    if (byte === OPEN_BRACKET && next !== CLOSE_BRACKET) return true;
    // an object: chat's `delta`, whose own keys decide, but for those that are objects themselves
    if (byte === OPEN_BRACE && (key.includes('function_call') || key.includes('audio'))) return true;
  }
  return false;
}

/** Position of the value behind a key that ends at `pos`; -1 when it is no key. */
function valueStart(json: Buffer, pos: number): number {
  let at = skipSpaces(json, pos);
  if (json[at] !== COLON) return -1;
  at = skipSpaces(json, at + 1);
  return at;
}

function skipSpaces(json: Buffer, pos: number): number {
  while (json[pos] === 0x20) pos++;
  return pos;
}

/** The finish reasons in an event's or an answer's JSON; `completed` for the end of a responses stream. */
export function finishReasons(json: Buffer): string[] {
  const reasons: string[] = [];
  for (let at = json.indexOf(FINISH); at !== -1 && reasons.length < MAX_REASONS; at = json.indexOf(FINISH, at + 1)) {
    const value = valueStart(json, at + FINISH.length);
    if (value === -1 || json[value] !== QUOTE) continue;
    const end = json.indexOf(QUOTE, value + 1);
    if (end !== -1 && end - value <= MAX_REASON_LENGTH) reasons.push(json.toString('latin1', value + 1, end));
  }
  if (json.includes(STATUS_COMPLETED)) reasons.push('completed');
  return reasons;
}

const MAX_REASONS = 16;
const MAX_REASON_LENGTH = 32;
