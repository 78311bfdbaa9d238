import { UpstreamAnswerError } from '#foundation';
import { PipelineStep, next } from '#pipeline';
import type { PipelineRequest, Step, StepOutcome } from '#pipeline';
import { findMediaParts, placeOf } from '#protocol';
import type { Features, MediaPart } from '#protocol';
import { WireFormatPolicy } from '../wire-format.policy.ts';
import { generateTokens, promptTokens } from './prompt-tokens.ts';
import { RenderClient } from './render.client.ts';
import { renderParams } from './render.params.ts';
import type { RenderParams } from './render.params.ts';
import { checkTokenLimits } from './token-limits.ts';

/** Puts token ids, and what is multimodal in the prompt, on the request; asks the render service only when the client did not bring them. */
@PipelineStep('render', renderParams, { makesTokens: true })
export class RenderStep implements Step<RenderParams> {
  constructor(
    private readonly client: RenderClient,
    private readonly formats: WireFormatPolicy,
  ) {}

  readonly execute = async (request: PipelineRequest, params: RenderParams): Promise<StepOutcome> => {
    switch (request.format) {
      case 'chat':
      case 'responses':
        return this.renderMessages(request, params);
      case 'completions':
        return this.renderPrompt(request, params);
      case 'generate': {
        const { tokens, features } = generateTokens(request.body);
        checkTokenLimits(tokens, features, params);
        return next(features === undefined ? { tokens } : { tokens, features });
      }
    }
  };

  private async renderMessages(request: PipelineRequest, params: RenderParams): Promise<StepOutcome> {
    const mediaParts = request.mediaParts ?? (await findMediaParts(request.body, request.format));
    const { tokens, features, headers } = await this.client.render(request, params);
    checkTokenLimits(tokens, features, params);
    checkFeatures(mediaParts, features);
    const relayedHeaders = this.formats.relayed(request, [headers]);
    return next({ tokens, mediaParts, relayedHeaders, ...(features === undefined ? {} : { features }) });
  }

  private async renderPrompt(request: PipelineRequest, params: RenderParams): Promise<StepOutcome> {
    const own = promptTokens(request.body);
    if (own !== undefined) {
      checkTokenLimits(own, undefined, params);
      return next({ tokens: own });
    }
    const { tokens, headers } = await this.client.render(request, params);
    checkTokenLimits(tokens, undefined, params);
    const relayedHeaders = this.formats.relayed(request, [headers]);
    return next({ tokens, relayedHeaders, body: request.body.set('prompt', [tokens.bytes]) });
  }
}

/** Every media part has its entry and the other way round: what does not match would be encoded or named wrongly. */
function checkFeatures(parts: readonly MediaPart[], features: Features | undefined): void {
  const entries = new Set(features?.entries.map(placeOf));
  if (entries.size === parts.length && parts.every((part) => entries.has(placeOf(part)))) return;
  throw new UpstreamAnswerError('render', `features for ${entries.size} items where the prompt has ${parts.length}`);
}
