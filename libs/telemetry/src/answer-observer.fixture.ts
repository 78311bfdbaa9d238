import fc from 'fast-check';
import type { AnswerFacts } from './answer-observer.ts';
import type { Usage } from '#protocol';

/** What of an answer does not depend on time. */
type TimelessFacts = Omit<AnswerFacts, 'firstOutputAt' | 'lastOutputAt'>;

/** Ways in which a line may end. */
export const lineEnds = fc.constantFrom('\n', '\r\n', '\r');

/** Texts that a model may write: with every word that an observer looks for, with what must be escaped, with long characters. */
const piece = fc.constantFrom(
  ...['a', ' ', 'usage', '"usage"', '"usage":{"prompt_tokens":1}', '[DONE]', 'data: [DONE]', 'finish_reason', 'null'],
  ...['"finish_reason":"stop"', 'response.completed', '"response.completed"', '"type":"response.completed"', 'content'],
  ...['"content":"x"', '\n\n', '\r', '\t', '\\', '"', '{', '}', '中', '😀', 'é', '\u2028', '\ud83d', '{"error":'],
);
const text = fc.oneof(
  fc.constantFrom('', 'usage', 'content', 'finish_reason', 'response.completed', '[DONE]', 'error', 'type', 'delta'),
  fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
);

const count = fc.nat({ max: 300_000 });
const chatUsage = fc.record(
  {
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: fc.option(fc.record({ cached_tokens: fc.option(count) }, { requiredKeys: [] })),
  },
  { requiredKeys: ['prompt_tokens'] },
);
const responsesUsage = fc.record({
  input_tokens: count,
  output_tokens: count,
  input_tokens_details: fc.record({ cached_tokens: count }),
});
const finish = fc.option(fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter'));

const delta = fc.oneof(
  fc.record({ role: fc.constant('assistant'), content: fc.constantFrom('', null) }),
  fc.record({ content: text }),
  fc.record({ content: fc.constant(null), reasoning_content: text }),
  fc.record({ reasoning: text, refusal: fc.option(text) }),
  fc.record({
    tool_calls: fc.array(fc.record({ index: fc.nat(3), function: fc.record({ name: text, arguments: text }) }), {
      maxLength: 2,
    }),
  }),
  fc.record({ function_call: fc.record({ name: text, arguments: text }) }),
  fc.record({ audio: fc.record({ id: text }) }),
  fc.constant({}),
);
const choice = fc.oneof(
  { arbitrary: fc.record({ index: fc.nat(2), delta, logprobs: fc.constant(null), finish_reason: finish }), weight: 5 },
  fc.record({ index: fc.nat(2), text, finish_reason: finish }),
  fc.record({ index: fc.nat(2), token_ids: fc.array(fc.nat(), { maxLength: 3 }), finish_reason: finish }),
);
const chunk = fc.record(
  {
    id: text,
    choices: fc.array(choice, { maxLength: 2 }),
    usage: fc.option(chatUsage),
    stop: fc.array(text, { maxLength: 2 }),
  },
  { requiredKeys: ['choices'] },
);
const responsesEvent = fc.oneof(
  fc.record({
    type: fc.constantFrom('response.output_text.delta', 'response.function_call_arguments.delta'),
    delta: text,
  }),
  fc.record({ type: fc.constant('response.output_text.done'), text }),
  fc.record({
    type: fc.constant('response.output_item.done'),
    item: fc.record({ content: fc.array(fc.record({ text })) }),
  }),
  fc.record({
    type: fc.constant('response.created'),
    response: fc.record({ metadata: fc.record({ text }), usage: fc.constant(null) }),
  }),
  fc.record({
    type: fc.constantFrom('response.completed', 'response.incomplete', 'response.failed'),
    response: fc.record({ output: fc.array(fc.record({ text }), { maxLength: 2 }), usage: fc.option(responsesUsage) }),
  }),
);
const failure = fc.oneof(
  fc.record({ error: fc.record({ message: text, code: fc.nat() }) }),
  fc.record({ type: fc.constant('error'), message: text }),
);
const json = fc
  .tuple(
    fc.oneof(
      { arbitrary: chunk, weight: 8 },
      { arbitrary: responsesEvent, weight: 4 },
      { arbitrary: failure, weight: 1 },
    ),
    fc.constantFrom(written, spaced),
  )
  .map(([value, write]) => write(value));

/** Events as lines, the empty one that ends each included. */
export const eventsOf = fc.array(
  fc.oneof(
    {
      arbitrary: fc.tuple(fc.constantFrom('data: ', 'data:'), json).map(([field, data]) => [field + data, '']),
      weight: 8,
    },
    { arbitrary: fc.constant(['data: [DONE]', '']), weight: 1 },
    fc.constantFrom(
      [': ping'],
      [': data: {"choices":[{"text":"x"}]}', ''],
      ['event: message'],
      ['id: 1'],
      [''],
      ['data'],
    ),
  ),
  { maxLength: 12 },
);

/** Whole answers, and what is to be read of them. */
export const answersOf = fc.tuple(chunk, fc.constantFrom(written, spaced)).map(([value, write]) => ({
  text: write(value),
  usage: usageOf(value),
  finishReasons: [...new Set(value.choices.flatMap(({ finish_reason }) => finish_reason ?? []))],
}));

function written(value: unknown): string {
  return JSON.stringify(value);
}

/** As Python writes it, spaces behind colons and commas. */
function spaced(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replaceAll(/\n */g, ' ');
}

/** The bytes in pieces. @param places where to cut, as parts of the whole */
export function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const borders = places.map((place) => Math.round(place * bytes.length)).toSorted((a, b) => a - b);
  return [...borders, bytes.length].map((end, index) => bytes.subarray(borders[index - 1] ?? 0, end));
}

/** What is to be seen of a stream, by parsing every event of its whole text. */
export function referenceFacts(whole: string): {
  readonly facts: TimelessFacts;
  readonly firstOutputEnd: number | undefined;
} {
  let outputEvents = 0;
  let usage: Usage | undefined;
  let isTerminated = false;
  let hasFailed = false;
  let firstOutputEnd: number | undefined;
  let position = 0;
  const reasons = new Set<string>();
  for (const [line = '', body = ''] of whole.matchAll(/([^\r\n]*)(?:\r\n|\n|\r)/g)) {
    const end = position + Buffer.byteLength(body);
    position += Buffer.byteLength(line);
    if (!body.startsWith('data:')) continue;
    const data = body.slice(5).replace(/^ /, '');
    if (data === '[DONE]') isTerminated = true;
    if (data === '[DONE]') continue;
    const event = asObject(JSON.parse(data));
    if (hasOutput(event)) {
      outputEvents++;
      firstOutputEnd ??= end;
    }
    for (const reason of reasonsOf(event)) reasons.add(reason);
    hasFailed ||= event['error'] !== undefined || event['type'] === 'error' || event['type'] === 'response.failed';
    usage = usageOf(event) ?? usage;
  }
  isTerminated ||= reasons.size > 0;
  return {
    facts: { outputEvents, usage, finishReasons: [...reasons], isTerminated: isTerminated && !hasFailed },
    firstOutputEnd,
  };
}

function hasOutput(event: Fields): boolean {
  if (isResponses(event)) return isFilled(event['delta']);
  return choicesOf(event).some((item) => {
    const said = asObject(item['delta']);
    return [item['text'], item['token_ids'], ...OUTPUT.map((key) => said[key])].some(isFilled);
  });
}

const OUTPUT = ['content', 'reasoning_content', 'reasoning', 'refusal', 'tool_calls', 'function_call', 'audio'];

function reasonsOf(event: Fields): string[] {
  if (event['type'] === 'response.completed') return ['completed'];
  if (event['type'] === 'response.incomplete') return ['incomplete'];
  return choicesOf(event).flatMap((item) => (typeof item['finish_reason'] === 'string' ? [item['finish_reason']] : []));
}

function usageOf(event: Fields): Usage | undefined {
  const usage = asObject(event['usage'] ?? asObject(event['response'])['usage']);
  if (Object.keys(usage).length === 0) return undefined;
  const details = asObject(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  return {
    inputTokens: asCount(usage['prompt_tokens'] ?? usage['input_tokens']),
    outputTokens: asCount(usage['completion_tokens'] ?? usage['output_tokens']),
    cachedTokens: asCount(details['cached_tokens']),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function asObject(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function asCount(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function choicesOf(event: Fields): Fields[] {
  return Array.isArray(event['choices']) ? event['choices'].map(asObject) : [];
}

function isResponses({ type }: Fields): boolean {
  return typeof type === 'string' && type.startsWith('response.');
}

/** A text or a list with something in it, or an object. */
function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? true
    : value !== null && ((value as string | undefined) ?? '').length > 0;
}
