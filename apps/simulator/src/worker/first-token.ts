import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../control/json-value.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import type { Answer } from './answers/answer.ts';
import { generate } from './generated-text.ts';
import type { InferenceApi } from './inference-api.ts';
import { samplingOf } from './sampling.ts';

/** A call that makes one token. */
export interface FirstTokenCall {
  readonly api: InferenceApi;
  readonly body: JsonObject;
  readonly prompt: RenderedPrompt;
  readonly cachedTokens: number;
  readonly requestId: string | undefined;
}

/** The ordinary answer that an encode or a prefill gives beside its transfer parameters: a token, however many were asked for. */
export function firstToken({ api, body, prompt, cachedTokens, requestId }: FirstTokenCall): Answer {
  const sampling = { ...samplingOf(api, body), maxTokens: 1, minTokens: 0 };
  return {
    requestId: requestId ?? randomUUID(),
    model: sampling.model,
    created: Math.floor(Date.now() / 1000),
    choices: generate(prompt, sampling),
    promptTokens: prompt.tokenIds.length,
    cachedTokens,
    sampling,
  };
}
