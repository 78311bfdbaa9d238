import { InternalError } from '#foundation';
import { JsonObject, RopeBuilder, buildObject, joinRope, rawJson } from '#json';
import type { Rope } from '#json';
import type { PipelineRequest } from '#pipeline';
import { placeOf } from '#protocol';
import type { MultimodalEntry, RequestFormat } from '#protocol';
import { singleList } from './features-body.ts';
import { builtSingleToken } from './single-token.ts';

const ONE = rawJson('1');

/** One item to encode, with the tokens that stand for it. */
export interface EncodeItem {
  readonly entry: MultimodalEntry;
  /** The client's own part, with the changes that were made in it; undefined where there is none to send. */
  readonly part: Rope | undefined;
  /** The prompt's first id, then the placeholder's id `length` times: a JSON array. */
  readonly tokenIds: string;
}

/** The items to encode: each distinct hash once (`decisions.md` M4), in prompt order. */
export function encodeItems({ body, mediaParts, tokens, features }: PipelineRequest): readonly EncodeItem[] {
  const parts = new Map(mediaParts?.map((part) => [placeOf(part), part.value]));
  const entries = distinct(features?.entries ?? []);
  const [first = '1', ...ids] = tokens?.at([0, ...entries.map((entry) => entry.offset)]) ?? [];
  return entries.map((entry, index) => {
    const part = parts.get(placeOf(entry));
    return {
      entry,
      part: part === undefined ? undefined : body.bytesOf(part),
      tokenIds: `[${first}${`,${ids[index] ?? '0'}`.repeat(entry.length)}]`,
    };
  });
}

/** The first of each hash of a modality, in their order. */
function distinct(entries: readonly MultimodalEntry[]): readonly MultimodalEntry[] {
  const first = new Map<string, MultimodalEntry>();
  for (const entry of entries) {
    const key = `${entry.modality}:${entry.hash}`;
    if (!first.has(key)) first.set(key, entry);
  }
  return [...first.values()];
}

/**
 * Makes the body of each encode call of a request. What they have in common is made once.
 * @see wire.md, "encode, one call per entry"
 */
export function encodeBodies(
  { body }: PipelineRequest,
  format: RequestFormat,
  sendsTokens: boolean,
): (item: EncodeItem) => Rope {
  if (format === 'generate') return (item) => generateBody(body, item);
  const front = membersOf({
    model: body.valueBytes('model'),
    mm_processor_kwargs: body.valueBytes('mm_processor_kwargs'),
    media_io_kwargs: body.valueBytes('media_io_kwargs'),
  });
  const back = membersOf(builtSingleToken(body, format));
  const key = format === 'responses' ? 'input' : 'messages';
  return (item) => {
    const builder = new RopeBuilder().text('{');
    if (front.length > 0) builder.bytes(front).text(',');
    builder.text(`"${key}":[{"role":"user","content":[`).bytes(partOf(item)).text(']}]');
    if (format === 'chat' && sendsTokens) builder.text(',"tokens":').bytes(tokensOf(item));
    return builder.text(',').bytes(back).text('}').done();
  };
}

/** The members of an object as they stand between its braces. */
function membersOf(members: Parameters<typeof buildObject>[0]): Buffer {
  return joinRope(buildObject(members)).subarray(1, -1);
}

function generateBody(body: JsonObject, item: EncodeItem): Rope {
  const { entry } = item;
  return buildObject({
    model: body.valueBytes('model'),
    token_ids: item.tokenIds,
    features: buildObject({
      mm_hashes: singleList(entry.modality, entry.hashBytes),
      mm_placeholders: singleList(entry.modality, movedPlaceholder(entry)),
      kwargs_data: singleList(entry.modality, entry.kwargs ?? 'null'),
    }),
    sampling_params: '{"max_tokens":1}',
    stream: 'false',
  });
}

function partOf({ part }: EncodeItem): Rope {
  if (part === undefined) throw new InternalError(new Error('an entry has no media part'));
  return part;
}

function tokensOf(item: EncodeItem): Rope {
  const { entry } = item;
  return buildObject({
    token_ids: item.tokenIds,
    features: buildObject({
      mm_hashes: singleList(entry.modality, entry.hashBytes),
      mm_placeholders: singleList(entry.modality, movedPlaceholder(entry)),
    }),
  });
}

/** The placeholder behind the first token, its other keys as they came. */
function movedPlaceholder(entry: MultimodalEntry): Rope {
  return JsonObject.of(entry.placeholder.bytes).set('offset', ONE).toRope();
}
