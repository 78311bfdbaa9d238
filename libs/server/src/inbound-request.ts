import { randomUUID } from 'node:crypto';
import { BadRequestError } from '#foundation';
import { JsonObject, JsonSyntaxError, validatedObject } from '#json';
import type { JsonValue } from '#json';
import type { InboundRequest } from '#pipeline';
import { forwardedHeaders, refusedResponsesField } from '#protocol';
import type { RequestFormat, RequestScope } from '#protocol';

/** Fields that name hosts for workers to connect to, or stand in for what render says (`decisions.md` R5a). */
const TRANSFER_FIELDS = ['kv_transfer_params', 'ec_transfer_params', 'tokens'] as const;

/** What makes a scope of a client's headers. */
export interface ScopeOptions {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Flat, as Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
  /** Names that go no further, lower-case. */
  readonly dropped: ReadonlySet<string>;
  /** Whether every call carries a revision decision id. */
  readonly revisionId: boolean;
  readonly isPassthrough: boolean;
}

export function requestScope(options: ScopeOptions): RequestScope {
  const { headers, trace } = forwardedHeaders(options.rawHeaders, options.dropped, options.isPassthrough);
  const scope = { id: options.id, signal: options.signal, headers, trace };
  return options.revisionId ? { ...scope, revisionId: randomUUID() } : scope;
}

/**
 * The request as steps see it.
 * @param trusted whether transfer parameters of the client stay
 * @throws BadRequestError for a body that is no JSON object, is nested too deep, or needs stored state
 */
export async function inboundRequest(
  scope: RequestScope,
  format: RequestFormat,
  path: string,
  bytes: Buffer,
  trusted: boolean,
): Promise<InboundRequest> {
  const received = await parsedBody(bytes);
  const refusal = format === 'responses' ? refusedResponsesField(received) : undefined;
  if (refusal !== undefined) {
    throw new BadRequestError('unsupported_field', refusal.message, { param: refusal.param });
  }
  const body = trusted ? received : withoutTransferParams(received);
  return {
    scope,
    format,
    path,
    body,
    model: body.get('model')?.string,
    stream: body.get('stream')?.isTrue ?? false,
  };
}

async function parsedBody(bytes: Buffer): Promise<JsonObject> {
  try {
    return await validatedObject(bytes);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const message = error.reason === 'kind' ? 'the body is not a JSON object' : `invalid JSON body: ${error.message}`;
    throw new BadRequestError('invalid_body', message);
  }
}

function withoutTransferParams(body: JsonObject): JsonObject {
  const stripped = body.remove(...TRANSFER_FIELDS);
  const sampling = stripped.get('sampling_params');
  const extra = sampling?.kind === 'object' ? sampling.member('extra_args') : undefined;
  if (sampling === undefined || extra?.kind !== 'object') return stripped;
  return hasTransferField(extra) ? stripped.set('sampling_params', strippedSampling(sampling)) : stripped;
}

function hasTransferField(extra: JsonValue): boolean {
  return extra.members().some(({ key }) => TRANSFER_FIELDS.some((field) => field === key));
}

function strippedSampling(sampling: JsonValue) {
  const object = JsonObject.of(sampling.bytes);
  const extra = object.get('extra_args');
  return extra === undefined
    ? object.toRope()
    : object
        .set(
          'extra_args',
          JsonObject.of(extra.bytes)
            .remove(...TRANSFER_FIELDS)
            .toRope(),
        )
        .toRope();
}
