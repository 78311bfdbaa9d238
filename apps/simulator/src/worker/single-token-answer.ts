import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../control/json-value.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import { answerFormat } from './answers/answer-format.ts';
import { generate } from './generated-text.ts';
import type { InferenceApi } from './inference-api.ts';
import { samplingOf } from './sampling.ts';

/** The ordinary answer that an encode or a prefill gives beside its transfer parameters. */
export function singleTokenAnswer(
  api: InferenceApi,
  body: JsonObject,
  prompt: RenderedPrompt,
  cachedTokens: number,
  requestId: string | undefined,
): JsonObject {
  const sampling = samplingOf(api, body);
  return answerFormat(api, {
    requestId: requestId ?? randomUUID(),
    model: sampling.model,
    created: Math.floor(Date.now() / 1000),
    choices: generate(prompt, sampling),
    promptTokens: prompt.tokenIds.length,
    cachedTokens,
    sampling,
  }).whole();
}
