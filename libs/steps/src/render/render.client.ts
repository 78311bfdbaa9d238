import { Injectable } from '@nestjs/common';
import { UpstreamAnswerError } from '#foundation';
import { UpstreamClient, answerBytes } from '#gateway';
import type { UpstreamReply } from '#gateway';
import { JsonObject, JsonSyntaxError, JsonValue, TokenArray, TokenArrayError } from '#json';
import type { PipelineRequest } from '#pipeline';
import { FeaturesError, HEADER, pathOf, readFeatures } from '#protocol';
import type { Features } from '#protocol';
import { WireFormatPolicy } from '../wire-format.policy.ts';
import type { RenderParams } from './render.params.ts';

/** What render made of a prompt. */
export interface Rendered {
  readonly tokens: TokenArray;
  readonly features: Features | undefined;
  readonly headers: UpstreamReply['headers'];
}

/** Asks the render service to tokenize a request. */
@Injectable()
export class RenderClient {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly formats: WireFormatPolicy,
  ) {}

  /**
   * `POST <address><path>/render` with the body as it is.
   * @throws UpstreamError, UpstreamAnswerError for an answer that is not what the path promises, and as `UpstreamClient.send`
   */
  async render(request: PipelineRequest, params: RenderParams): Promise<Rendered> {
    const { scope } = request;
    const reply = await this.upstream.send({
      scope,
      upstream: 'render',
      step: 'render',
      method: 'POST',
      base: params.address,
      path: `${pathOf(request.format)}/render`,
      headers: [
        ...(request.clientHeaders ?? scope.headers),
        'content-type',
        'application/json',
        ...this.formats.headers(request),
        HEADER.requestId,
        scope.id,
      ],
      body: request.body.toRope(),
      headLimit: { ms: params.timeout, setting: 'timeout of the render step' },
      idleLimit: 'whole',
      signal: scope.signal,
      maxIdle: params.max_idle_conns_per_host,
    });
    const bytes = await answerBytes(reply, 'render', this.upstream.maxResponseBytes);
    return { ...readAnswer(bytes, request.format === 'completions'), headers: reply.headers };
  }
}

function readAnswer(bytes: Buffer, isList: boolean): Omit<Rendered, 'headers'> {
  try {
    const answer = isList ? onlyItem(JsonValue.read(bytes)) : JsonValue.read(bytes);
    const prompt = objectIn(answer);
    const ids = prompt?.get('token_ids');
    if (prompt === undefined || ids === undefined) throw new UpstreamAnswerError('render', 'without token_ids');
    const tokens = TokenArray.scan(ids.source, ids.start);
    return { tokens, features: isList ? undefined : readFeatures(prompt.get('features'), tokens.count) };
  } catch (error) {
    if (error instanceof TokenArrayError) throw new UpstreamAnswerError('render', 'unusable token_ids', error);
    if (error instanceof FeaturesError) throw new UpstreamAnswerError('render', 'unusable features', error);
    if (error instanceof JsonSyntaxError) throw new UpstreamAnswerError('render', 'something other than JSON', error);
    throw error;
  }
}

function objectIn(value: JsonValue): JsonObject | undefined {
  return value.kind === 'object' ? JsonObject.of(value.bytes) : undefined;
}

function onlyItem(list: JsonValue): JsonValue {
  const items = list.items();
  const first = items.next();
  if (list.kind !== 'array' || first.done === true || items.next().done !== true) {
    throw new UpstreamAnswerError('render', 'something other than a list of one prompt');
  }
  return first.value;
}
