import { describe, expect, it } from '@jest/globals';
import type { DiscoveryService } from '@nestjs/core';
import { z } from 'zod';
import { BadRequestError } from '#foundation';
import { rawJson } from '#json';
import { aRequest } from '#testing';
import { pipelineConfig } from './pipeline.config.ts';
import { PipelineService } from './pipeline.service.ts';
import { PipelineStep, stepMetadata } from './pipeline-step.decorator.ts';
import type { PipelineInterceptor, PipelineInterceptors, StepInterceptor } from './step.interceptor.ts';
import { StepRegistry } from './step.registry.ts';
import { next, respond } from './step-outcome.ts';
import type { StepOutcome } from './step-outcome.ts';

/** A pipeline of two steps, `look` and `answer`, with these interceptors; what happens goes to `log`. */
function pipeline(log: string[], interceptors: Partial<PipelineInterceptors>): PipelineService {
  @PipelineStep('look', z.strictObject({}))
  class LookStep {
    readonly execute = async (): Promise<StepOutcome> => {
      log.push('look');
      return Promise.resolve(next({ ecParams: rawJson('1') }));
    };
  }

  @PipelineStep('answer', z.strictObject({}), { answers: true })
  class AnswerStep {
    readonly execute = async (): Promise<StepOutcome> => {
      log.push('answer');
      return Promise.resolve(respond({ status: 200, headers: {}, body: rawJson('{}') }));
    };
  }

  const steps = [LookStep, AnswerStep];
  const metadata = steps.map(stepMetadata).filter((step) => step !== undefined);
  const config = pipelineConfig(metadata, { kv: z.string(), ec: z.string() });
  const providers = steps.map((step) => ({ instance: new step() }));
  const registry = new StepRegistry({ getProviders: () => providers } as unknown as DiscoveryService); // all it asks for
  const service = new PipelineService(registry, config.parse({ steps: [{ type: 'look' }, { type: 'answer' }] }), {
    pipeline: [],
    step: [],
    ...interceptors,
  });
  service.onModuleInit();
  return service;
}

const aroundSteps = (name: string, log: string[]): StepInterceptor => ({
  intercept: async ({ step, index }, run) => {
    log.push(`${name} > ${step} ${index}`);
    const outcome = await run();
    log.push(`${name} < ${outcome.kind}`);
    return outcome;
  },
});

const aroundAll = (name: string, log: string[]): PipelineInterceptor => ({
  intercept: async ({ scope }, run) => {
    log.push(`${name} > ${scope.id}`);
    const { status } = await run();
    log.push(`${name} < ${status}`);
    return { status: status + 1, headers: {}, body: rawJson('{}') };
  },
});

describe('interceptors of a pipeline', () => {
  it('stand around each step and around all of them, outermost first', async () => {
    const log: string[] = [];
    const service = pipeline(log, {
      pipeline: [aroundAll('A', log), aroundAll('B', log)],
      step: [aroundSteps('1', log), aroundSteps('2', log)],
    });
    await service.run(aRequest());
    expect(log).toEqual([
      ...['A > req-1', 'B > req-1'],
      ...['1 > look 0', '2 > look 0', 'look', '2 < next', '1 < next'],
      ...['1 > answer 1', '2 > answer 1', 'answer', '2 < respond', '1 < respond'],
      ...['B < 200', 'A < 201'],
    ]);
  });

  it('may change what comes of a request', async () => {
    const log: string[] = [];
    const service = pipeline(log, { pipeline: [aroundAll('A', log), aroundAll('B', log)] });
    expect((await service.run(aRequest())).status).toBe(202);
  });

  it('see the request as the step is given it', async () => {
    const seen: (string | undefined)[] = [];
    const looks: StepInterceptor = {
      intercept: async ({ request }, run) => {
        seen.push(request.ecParams?.toString());
        return run();
      },
    };
    await pipeline([], { step: [looks] }).run(aRequest());
    expect(seen).toEqual([undefined, '1']);
  });

  it('may answer in place of a step', async () => {
    const log: string[] = [];
    const short: StepInterceptor = {
      intercept: async () => Promise.resolve(respond({ status: 418, headers: {}, body: rawJson('{}') })),
    };
    expect((await pipeline(log, { step: [short] }).run(aRequest())).status).toBe(418);
    expect(log).toEqual([]);
  });

  it('see what a step threw', async () => {
    const seen: unknown[] = [];
    const failure = new BadRequestError('invalid_value', 'no');
    const fails: StepInterceptor = { intercept: async () => Promise.reject(failure) };
    const looks: StepInterceptor & PipelineInterceptor = {
      intercept: async (_: unknown, run: () => Promise<never>) => {
        try {
          return await run();
        } catch (error) {
          seen.push(error);
          throw error;
        }
      },
    };
    await expect(pipeline([], { pipeline: [looks], step: [looks, fails] }).run(aRequest())).rejects.toBe(failure);
    expect(seen).toEqual([failure, failure]);
  });
});
