/** Keys whose non-empty value is output: chat deltas, completions, generate. */
const OUTPUT = new Set([
  'content',
  'text',
  'reasoning_content',
  'reasoning',
  'tool_calls',
  'token_ids',
  'refusal',
  'function_call',
  'audio',
]);
/** Of those, the ones that stand for a call or a sound: an object is output there; any other has keys of its own, which decide. */
const OBJECTS = new Set(['function_call', 'audio']);
const OTHERS = ['delta', 'finish_reason', 'error', 'type', 'usage'];

/**
 * A key that says something, and how its value begins: `"x` and `[` where there is something in it, `"` and `[]` where there is
 * not. A quote inside a string is escaped, so that what looks like a key is a string of its own, and one when a colon follows.
 */
const KEYS = new RegExp(
  String.raw`"(${[...OUTPUT, ...OTHERS].join('|')})"[ \t\n\r]*:[ \t\n\r]*("[^"]?|\[[ \t\n\r]*\]?|\{)`,
  'g',
);
const RESPONSE = 'response.';
const MAX_REASONS = 16;
const MAX_REASON_LENGTH = 32;

/** What one event of a stream says. */
export interface EventFacts {
  /** A text that is not empty, tool calls, token ids. A role alone, a finish reason or usage is none. */
  readonly carriesOutput: boolean;
  /** `completed` and `incomplete` for the end of a responses stream. */
  readonly finishReasons: readonly string[];
  /** Whether it says that the generation failed. */
  readonly isFailure: boolean;
  /** Whether a key of it is `usage` and has an object behind it. */
  readonly mayHoldUsage: boolean;
}

/**
 * Reads an event's JSON by one search for the keys that matter; the event is not parsed.
 * @param json its bytes, one character each
 */
export function eventFacts(json: string): EventFacts {
  const { output, delta, reasons, error, usage, response } = keyFacts(json);
  if (response === undefined) {
    return { carriesOutput: output, finishReasons: reasons, isFailure: error && !output, mayHoldUsage: usage };
  }
  const isEnd = response === 'completed' || response === 'incomplete';
  return {
    carriesOutput: delta,
    finishReasons: isEnd ? [response] : NONE,
    isFailure: response === 'failed',
    mayHoldUsage: usage,
  };
}

/** What the keys of a JSON text say, be it an event or a whole answer. */
export interface KeyFacts {
  /** Whether some key of output has a value with something in it; the same for `delta`. */
  output: boolean;
  delta: boolean;
  /** The finish reasons of the choices. */
  reasons: readonly string[];
  /** The worker's own error event, of whichever API. */
  error: boolean;
  usage: boolean;
  /** Of `"type": "response.completed"`, the last word; undefined for what is no event of the responses API. */
  response: string | undefined;
}

/** @param json bytes, one character each */
export function keyFacts(json: string): KeyFacts {
  const facts: KeyFacts = {
    output: false,
    delta: false,
    reasons: NONE,
    error: false,
    usage: false,
    response: undefined,
  };
  KEYS.lastIndex = 0;
  for (let found = KEYS.exec(json); found !== null; found = KEYS.exec(json)) {
    const [, key = '', begin = ''] = found;
    const note = NOTES.get(key) ?? noteOutput;
    note(facts, { key, begin, json, inside: KEYS.lastIndex - begin.length + 1 });
  }
  return facts;
}

/** A key that was found: how its value begins, and the position behind the value's first character. */
interface Found {
  readonly key: string;
  readonly begin: string;
  readonly json: string;
  readonly inside: number;
}

const NOTES: ReadonlyMap<string, (facts: KeyFacts, found: Found) => void> = new Map([
  ['delta', (facts, { begin }) => (facts.delta ||= hasContent(begin))],
  ['usage', (facts, { begin }) => (facts.usage ||= begin === '{')],
  ['error', (facts, { begin }) => (facts.error ||= !begin.startsWith('['))],
  ['finish_reason', noteReason],
  ['type', noteType],
]);

function noteOutput(facts: KeyFacts, { key, begin }: Found): void {
  facts.output ||= hasContent(begin) || (begin === '{' && OBJECTS.has(key));
}

function noteType(facts: KeyFacts, { json, inside }: Found): void {
  facts.error ||= json.startsWith('error"', inside);
  if (json.startsWith(RESPONSE, inside)) {
    facts.response ??= json.slice(inside + RESPONSE.length, json.indexOf('"', inside));
  }
}

function noteReason(facts: KeyFacts, { begin, json, inside }: Found): void {
  const end = json.indexOf('"', inside);
  const isUsable = begin.startsWith('"') && end !== -1 && end - inside < MAX_REASON_LENGTH;
  if (!isUsable || facts.reasons.length === MAX_REASONS) return;
  facts.reasons = [...facts.reasons, Buffer.from(json.slice(inside, end), 'latin1').toString()];
}

function hasContent(begin: string): boolean {
  return begin.length > 1 ? !begin.endsWith(']') : begin === '[';
}

const NONE: readonly string[] = [];
