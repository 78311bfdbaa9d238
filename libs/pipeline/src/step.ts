import type { PipelineRequest } from './pipeline-request.ts';
import type { StepOutcome } from './step-outcome.ts';

/**
 * One unit of work on a request. A provider without state of its own: parameters arrive with the call, so one class can stand
 * in the pipeline several times. It never touches the client's reply, and it signals by what it returns; it throws a
 * `CoordinatorError` when the request cannot go on.
 */
export interface Step<Params> {
  // A property, not a method: parameter types are then compared strictly, so a schema that does not fit `execute` does not compile.
  readonly execute: (request: PipelineRequest, params: Params) => Promise<StepOutcome>;
}
