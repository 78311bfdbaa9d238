import type { JsonObject, JsonValue } from '#json';
import { SchedulingError } from '../scheduling.error.ts';
import type { ParsedRequest, PromptPiece } from '../scheduling-request.ts';
import { chatContent } from './chat-content.ts';
import { present } from './json-body.ts';
import { inWords, listOfIds, listOfTexts, NO_CONTENT } from './prompt-content.ts';
import type { PromptContent } from './prompt-content.ts';
import type { Steps } from './paced.ts';

/** One of OpenAI's APIs: where its prompt is and what it is called. */
export interface OpenAiFormat {
  /** Ends of its paths. */
  readonly suffixes: readonly string[];
  /** Keys that limit the answer's tokens, the first one that is there counts. */
  readonly limits: readonly string[];
  readonly rendering?: NonNullable<ParsedRequest['rendering']>;
  /** @throws SchedulingError with BadRequest */
  read(body: JsonObject): Steps<PromptContent>;
}

/** Those whose end is the end of another one come behind it. */
export const OPENAI_FORMATS: readonly OpenAiFormat[] = [
  {
    suffixes: ['chat/completions', 'chat/completions/render'],
    limits: ['max_completion_tokens', 'max_tokens'],
    rendering: 'chat',
    read: chatContent,
  },
  {
    suffixes: ['completions', 'completions/render'],
    limits: ['max_tokens'],
    rendering: 'completions',
    read: completionsContent,
  },
  { suffixes: ['embeddings'], limits: [], read: embeddingsContent },
  { suffixes: ['responses', 'responses/render'], limits: ['max_output_tokens'], read: responsesContent },
  { suffixes: ['conversations'], limits: [], read: conversationsContent },
  { suffixes: ['images/generations'], limits: [], read: imagesContent },
];

function* completionsContent(body: JsonObject): Steps<PromptContent> {
  const prompt = body.get('prompt');
  if (prompt === undefined || isEmpty(prompt)) throw missing('completions', 'prompt');
  if (prompt.kind === 'string') return inWords([[{ kind: 'text', value: prompt }]]);
  if (prompt.kind !== 'array') throw missing('completions', 'prompt');
  return (yield* listOfIds(prompt, 'prompt')) ?? (yield* listOfTexts(prompt, 'prompt'));
}

function* embeddingsContent(body: JsonObject): Steps<PromptContent> {
  const input = body.get('input');
  if (input === undefined || isEmpty(input)) throw missing('embeddings', 'input');
  return (yield* listOfIds(input, 'input')) ?? inWords([[{ kind: 'json', value: input }]]);
}

/** Counts as a list of objects, each with one of the three members that make up the prompt. */
function* responsesContent(body: JsonObject): Steps<PromptContent> {
  const input = present(body.get('input'));
  if (input === undefined) throw missing('responses', 'input');
  const pieces: PromptPiece[] = [];
  for (const key of ['instructions', 'tools', 'input']) {
    const value = present(body.get(key));
    if (value === undefined) continue;
    const opening = `${pieces.length === 0 ? '[' : ','}{"${key}":`;
    pieces.push(literal(opening), { kind: 'json', value }, literal('}'));
  }
  return inWords([[...pieces, literal(']')]]);
}

function* conversationsContent(body: JsonObject): Steps<PromptContent> {
  const items = body.get('items');
  if (items === undefined || isEmpty(items)) throw missing('conversations', 'items');
  return inWords([[{ kind: 'json', value: items }]]);
}

function* imagesContent(body: JsonObject): Steps<PromptContent> {
  const prompt = body.get('prompt');
  if (prompt?.kind !== 'string' || isEmpty(prompt)) throw missing('images generations', 'prompt');
  return { ...NO_CONTENT, words: [[{ kind: 'text', value: prompt }]] };
}

/** Null, an empty text or an empty list. */
function isEmpty(value: JsonValue): boolean {
  if (value.kind === 'string') return value.end - value.start === 2;
  return value.isNull || (value.kind === 'array' && value.items().next().done === true);
}

function literal(text: string): PromptPiece {
  return { kind: 'literal', bytes: Buffer.from(text) };
}

function missing(api: string, field: string): SchedulingError {
  return new SchedulingError('BadRequest', `invalid ${api} request: must have ${field} field`);
}
