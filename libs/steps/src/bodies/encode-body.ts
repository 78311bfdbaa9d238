import { InternalError } from '#foundation';
import { JsonObject, buildObject, rawJson } from '#json';
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
 * The body of one encode call.
 * @see wire.md, "encode, one call per entry"
 */
export function encodeBody(
  request: PipelineRequest,
  item: EncodeItem,
  format: RequestFormat,
  sendsTokens: boolean,
): Rope {
  if (format === 'generate') return generateBody(request, item);
  const { body } = request;
  return buildObject({
    model: body.valueBytes('model'),
    mm_processor_kwargs: body.valueBytes('mm_processor_kwargs'),
    media_io_kwargs: body.valueBytes('media_io_kwargs'),
    [format === 'responses' ? 'input' : 'messages']: userMessage(item),
    tokens: format === 'chat' && sendsTokens ? tokensOf(item) : undefined,
    ...builtSingleToken(body, format),
  });
}

function generateBody({ body }: PipelineRequest, item: EncodeItem): Rope {
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

function userMessage({ part }: EncodeItem): Rope {
  if (part === undefined) throw new InternalError(new Error('an entry has no media part'));
  return [Buffer.from('[{"role":"user","content":['), ...part, Buffer.from(']}]')];
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
