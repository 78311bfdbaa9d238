import { JsonObject, buildObject, memberSplices } from '#json';
import type { JsonValue, Rope, Splice } from '#json';
import type { PipelineRequest } from '#pipeline';
import { placeOf } from '#protocol';
import { tokensField } from './tokens-field.ts';

/** What goes into a decode body beside the request. */
export interface DecodeParts {
  /** `kv_transfer_params`; undefined when no prefill ran (`decisions.md` P4a). */
  readonly kv: Rope | undefined;
  readonly sendsTokens: boolean;
  /** Whether transfer parameters of a generate body stand in `sampling_params.extra_args`. */
  readonly nested: boolean;
  /** Further outermost members; `undefined` removes one of the client's. */
  readonly members?: Readonly<Record<string, Rope | undefined>>;
}

/**
 * The body of the probe: the client's, with render's tokens and nothing else.
 * @see wire.md, "conditional-decode"
 */
export function probeBody(request: PipelineRequest, sendsTokens: boolean): Rope {
  return withTokens(request, request.body, sendsTokens).toRope();
}

/**
 * The body of the decode call: the client's, with tokens, hand-over and the names of its media.
 * @see wire.md, "decode"
 */
export function decodeBody(request: PipelineRequest, parts: DecodeParts): Rope {
  const own = withTokens(request, request.body.splice(uuidSplices(request)), parts.sendsTokens);
  const named = parts.members === undefined ? own : own.setAll(parts.members);
  if (parts.kv === undefined) return named.toRope();
  const isNested = request.format === 'generate' && parts.nested;
  return (isNested ? withNestedKv(named, parts.kv) : named.set('kv_transfer_params', parts.kv)).toRope();
}

function withTokens(request: PipelineRequest, body: JsonObject, sendsTokens: boolean): JsonObject {
  const tokens = request.format === 'chat' && sendsTokens ? tokensField(request) : undefined;
  return tokens === undefined ? body : body.set('tokens', tokens);
}

/** Each media part is named by the hash of the entry with its position: the worker then finds what was encoded. */
function uuidSplices({ mediaParts, features }: PipelineRequest): readonly Splice[] {
  if (mediaParts === undefined || features === undefined) return [];
  const entries = new Map(features.entries.map((entry) => [placeOf(entry), entry]));
  return mediaParts.flatMap((part) => {
    const entry = entries.get(placeOf(part));
    return entry === undefined ? [] : memberSplices(part.value, 'uuid', [entry.hashBytes]);
  });
}

/** `sampling_params.extra_args.kv_transfer_params`; what else is in both stays. */
function withNestedKv(body: JsonObject, kv: Rope): JsonObject {
  const sampling = body.get('sampling_params');
  const extra = buildObject({ kv_transfer_params: kv });
  if (sampling?.kind !== 'object') return body.set('sampling_params', buildObject({ extra_args: extra }));
  const object = objectIn(sampling);
  const extraArgs = object.get('extra_args');
  const merged = extraArgs?.kind === 'object' ? objectIn(extraArgs).set('kv_transfer_params', kv).toRope() : extra;
  return body.set('sampling_params', object.set('extra_args', merged).toRope());
}

function objectIn(value: JsonValue): JsonObject {
  return JsonObject.of(value.bytes);
}
