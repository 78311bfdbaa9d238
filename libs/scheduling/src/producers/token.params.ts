import { z } from 'zod';
import { baseUrl, duration } from '#config';
import { estimateParams } from './estimate.params.ts';
import type { EstimateParams } from './estimate.params.ts';

const vllmParams = z.strictObject({
  url: baseUrl().prefault('http://localhost:8000').describe('Base URL of the render service.'),
  timeout: duration('5s').describe('Time for a call about text.'),
  mmTimeout: duration('30s').describe('Time for a call about media.'),
});

/** One of two ways to tokens: `estimate`, which is the default, or `vllm` with a `modelName`. */
export const tokenParams = z
  .strictObject({
    estimate: estimateParams.optional(),
    vllm: vllmParams.optional(),
    modelName: z.string().min(1).optional().describe('The model that the render service has.'),
    udsTokenizerConfig: z.unknown().optional().describe('Has no support any more: use vllm.'),
  })
  .refine(({ udsTokenizerConfig: uds }) => uds === undefined, {
    path: ['udsTokenizerConfig'],
    error: 'is not supported, use vllm',
  })
  .refine(({ estimate, vllm, modelName }) => estimate === undefined || (vllm ?? modelName) === undefined, {
    error: "only one of 'estimate' and 'vllm' may be set",
  })
  .refine(({ vllm, modelName }) => vllm === undefined || modelName !== undefined, {
    path: ['modelName'],
    error: "is required with 'vllm'",
  })
  .prefault({});

export type TokenParams = z.output<typeof tokenParams>;

/** What a tokenizer that is asked over the network needs. */
export interface VllmParams extends z.output<typeof vllmParams> {
  readonly modelName: string;
}

/** Undefined where tokens are estimated. */
export function vllmParamsOf({ vllm, modelName }: TokenParams): VllmParams | undefined {
  return modelName === undefined ? undefined : { ...(vllm ?? vllmParams.parse({})), modelName };
}

export function estimateParamsOf({ estimate }: TokenParams): EstimateParams {
  return estimate ?? estimateParams.parse({});
}
