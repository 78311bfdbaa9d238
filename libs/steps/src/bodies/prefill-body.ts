import { InternalError } from '#foundation';
import { buildObject, jsonString } from '#json';
import type { Rope } from '#json';
import type { PipelineRequest } from '#pipeline';
import type { RequestFormat } from '#protocol';
import { featuresWithKwargs } from './features-body.ts';
import { builtSingleToken, singleTokenMembers } from './single-token.ts';
import { tokensField } from './tokens-field.ts';

/** What goes into a prefill body beside the request. */
export interface PrefillParts {
  /** `kv_transfer_params`; undefined where the connector has none, and then the client's do not go out either. */
  readonly kv: Rope | undefined;
  /** `ec_transfer_params`; undefined when there are none. */
  readonly ec: Rope | undefined;
  readonly sendsTokens: boolean;
  /** Whether transfer parameters of a generate body stand in `sampling_params.extra_args`. */
  readonly nested: boolean;
  /** Further outermost members; `undefined` removes one of the client's. */
  readonly members?: Readonly<Record<string, Rope | undefined>>;
}

/**
 * The body of the prefill call.
 * @see wire.md, "prefill"
 */
export function prefillBody(request: PipelineRequest, format: RequestFormat, parts: PrefillParts): Rope {
  switch (format) {
    case 'chat':
    case 'responses':
      return clientBody(request, format, parts);
    case 'completions':
      return completionsBody(request, parts);
    case 'generate':
      return generateBody(request, parts);
  }
}

function clientBody(request: PipelineRequest, format: 'chat' | 'responses', parts: PrefillParts): Rope {
  const tokens = format === 'chat' && parts.sendsTokens ? tokensField(request) : undefined;
  return request.body
    .setAll({
      ...(tokens === undefined ? {} : { tokens }),
      ...singleTokenMembers(request.body, format),
      kv_transfer_params: parts.kv,
      ...(parts.ec === undefined ? {} : { ec_transfer_params: parts.ec }),
      ...parts.members,
    })
    .toRope();
}

function completionsBody({ scope, body, features }: PipelineRequest, parts: PrefillParts): Rope {
  return buildObject({
    request_id: jsonString(scope.id),
    model: body.valueBytes('model'),
    prompt: body.valueBytes('prompt'),
    kv_transfer_params: parts.kv,
    ...builtSingleToken(body, 'completions'),
    features: features === undefined ? undefined : featuresWithKwargs(features),
    ec_transfer_params: parts.ec,
    ...parts.members,
  });
}

function generateBody({ scope, body, tokens, features }: PipelineRequest, parts: PrefillParts): Rope {
  const tokenIds = tokens?.bytes ?? body.valueBytes('token_ids');
  if (tokenIds === undefined) throw new InternalError(new Error('the tokens-in format needs render before prefill'));
  const transfer = { kv_transfer_params: parts.kv, ec_transfer_params: parts.ec };
  const hasTransfer = parts.kv !== undefined || parts.ec !== undefined;
  return buildObject({
    request_id: jsonString(scope.id),
    token_ids: tokenIds,
    model: body.valueBytes('model'),
    sampling_params: buildObject({
      max_tokens: '1',
      extra_args: parts.nested && hasTransfer ? buildObject(transfer) : undefined,
    }),
    stream: 'false',
    ...(parts.nested ? {} : transfer),
    features: features === undefined ? undefined : featuresWithKwargs(features),
    ...parts.members,
  });
}
