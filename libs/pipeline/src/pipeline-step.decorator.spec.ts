import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { PipelineRequest } from './pipeline-request.ts';
import { PipelineStep, stepMetadata } from './pipeline-step.decorator.ts';
import { next } from './step-outcome.ts';
import type { StepOutcome } from './step-outcome.ts';

const schema = z.strictObject({ limit: z.int() });
const makes = PipelineStep('limit', schema, { makesTokens: true });

class LimitStep {
  readonly execute = async (_request: PipelineRequest, _params: { limit: number }): Promise<StepOutcome> =>
    Promise.resolve(next());
}

describe('PipelineStep', () => {
  it('records type, schema and traits on the class', () => {
    class Step extends LimitStep {}
    makes(Step);
    expect(stepMetadata(Step)).toEqual({ type: 'limit', schema, makesTokens: true });
    expect(stepMetadata(LimitStep)).toBeUndefined();
  });

  it('takes a class that asks for no more than its schema gives', () => {
    class WithoutParams {
      readonly execute = async (): Promise<StepOutcome> => Promise.resolve(next());
    }
    makes(WithoutParams);
    PipelineStep('limit', z.strictObject({ limit: z.int(), more: z.string() }))(LimitStep);
    expect(stepMetadata(WithoutParams)?.type).toBe('limit');
  });

  // what these would do at run time does not matter: they must not compile
  it('does not compile on a class whose parameters the schema does not give', () => {
    // @ts-expect-error a text where `execute` takes a number
    PipelineStep('limit', z.strictObject({ limit: z.string() }))(LimitStep);
    // @ts-expect-error a value that may be absent where `execute` needs it
    PipelineStep('limit', z.strictObject({ limit: z.int().optional() }))(LimitStep);
    // @ts-expect-error no such parameter
    PipelineStep('limit', z.strictObject({}))(LimitStep);
    expect(stepMetadata(LimitStep)?.type).toBe('limit');
  });

  it('does not compile on what is no step', () => {
    class WithoutExecute {
      readonly run = 1;
    }
    class WithoutOutcome {
      readonly execute = async (): Promise<void> => Promise.resolve();
    }
    // @ts-expect-error without `execute`
    makes(WithoutExecute);
    // @ts-expect-error `execute` that gives no outcome
    makes(WithoutOutcome);
    expect(stepMetadata(WithoutOutcome)?.type).toBe('limit');
  });
});
