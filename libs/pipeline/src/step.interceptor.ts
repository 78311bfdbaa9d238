import type { Interceptor } from '#foundation';
import type { PipelineRequest } from './pipeline-request.ts';
import type { ClientResponse, StepOutcome } from './step-outcome.ts';

/** A step about to run. */
export interface StepCall {
  readonly request: PipelineRequest;
  /** Its type in the configuration. */
  readonly step: string;
  /** Its place in the pipeline, 0-based. */
  readonly index: number;
}

/** Around each step of each request. */
export type StepInterceptor = Interceptor<StepCall, StepOutcome>;

/** Around a request's way through all steps. The promise settles when the answer's head is known; its body may still arrive. */
export type PipelineInterceptor = Interceptor<PipelineRequest, ClientResponse>;

/** The interceptors of a pipeline, outermost first. */
export interface PipelineInterceptors {
  readonly pipeline: readonly PipelineInterceptor[];
  readonly step: readonly StepInterceptor[];
}

export const PIPELINE_INTERCEPTORS = Symbol('pipeline:interceptors');
