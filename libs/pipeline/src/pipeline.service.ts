import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { InternalError, compose } from '#foundation';
import { PIPELINE_CONFIG } from './pipeline.config.ts';
import type { PipelineConfig } from './pipeline.config.ts';
import { withFindings } from './pipeline-request.ts';
import type { PipelineRequest } from './pipeline-request.ts';
import { PIPELINE_INTERCEPTORS } from './step.interceptor.ts';
import type { PipelineInterceptors, StepCall } from './step.interceptor.ts';
import { StepRegistry } from './step.registry.ts';
import type { ClientResponse, StepOutcome } from './step-outcome.ts';

/** A configured step, ready to run. */
interface BoundStep {
  readonly type: string;
  readonly index: number;
  readonly run: (call: StepCall) => Promise<StepOutcome>;
}

/** Runs a request through the configured steps. It knows no step. */
@Injectable()
export class PipelineService implements OnModuleInit {
  private steps: readonly BoundStep[] = [];
  private runAll: (request: PipelineRequest) => Promise<ClientResponse>;

  constructor(
    private readonly registry: StepRegistry,
    @Inject(PIPELINE_CONFIG) private readonly config: PipelineConfig,
    @Inject(PIPELINE_INTERCEPTORS) private readonly interceptors: PipelineInterceptors,
  ) {
    this.runAll = compose(interceptors.pipeline, (request) => this.runSteps(request));
  }

  onModuleInit(): void {
    this.steps = this.config.steps.map(({ type, params }, index) => {
      const step = this.registry.get(type);
      const run = compose(this.interceptors.step, ({ request }: StepCall) => step.execute(request, params));
      return { type, index, run };
    });
  }

  /** Types of the steps, in order. */
  get stepTypes(): readonly string[] {
    return this.steps.map(({ type }) => type);
  }

  /**
   * The answer for the client: the first that a step gives. What a step found is there for the next one.
   * @throws what a step threw, the reason of the request's signal, or InternalError when no step answered
   */
  run(request: PipelineRequest): Promise<ClientResponse> {
    return this.runAll(request);
  }

  private async runSteps(request: PipelineRequest): Promise<ClientResponse> {
    let current = request;
    for (const { type, index, run } of this.steps) {
      request.scope.signal.throwIfAborted();
      const outcome = await run({ request: current, step: type, index });
      if (outcome.kind === 'respond') return outcome.response;
      current = withFindings(current, outcome.findings);
    }
    throw new InternalError(new Error('no step answered'));
  }
}
