import { randomUUID } from 'node:crypto';
import { BadRequestError } from '#foundation';
import { JsonObject, JsonSyntaxError, validatedObject } from '#json';
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
  readonly hasOwnId?: boolean;
  readonly delivered?: Promise<boolean>;
}

export function requestScope(options: ScopeOptions): RequestScope {
  const { headers, trace } = forwardedHeaders(options.rawHeaders, options.dropped, options.isPassthrough);
  const { id, signal, hasOwnId, delivered } = options;
  return {
    id,
    signal,
    headers,
    trace,
    ...(hasOwnId === undefined ? {} : { hasOwnId }),
    ...(delivered === undefined ? {} : { delivered }),
    ...(options.revisionId ? { revisionId: randomUUID() } : {}),
  };
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
  if (sampling?.kind !== 'object') return stripped;
  const parameters = JsonObject.of(sampling.bytes);
  const extra = parameters.get('extra_args');
  if (extra?.kind !== 'object') return stripped;
  const all = JsonObject.of(extra.bytes);
  const kept = all.remove(...TRANSFER_FIELDS);
  return kept === all
    ? stripped
    : stripped.set('sampling_params', parameters.set('extra_args', kept.toRope()).toRope());
}
