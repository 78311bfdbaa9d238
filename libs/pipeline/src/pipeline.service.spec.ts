import { afterEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { TestingModule } from '@nestjs/testing';
import { z } from 'zod';
import { BadRequestError, ClientClosedError, InternalError } from '#foundation';
import { rawJson } from '#json';
import { aRequest } from '#testing';
import { pipelineConfig } from './pipeline.config.ts';
import { PipelineModule } from './pipeline.module.ts';
import type { PipelineRequest } from './pipeline-request.ts';
import { PipelineService } from './pipeline.service.ts';
import { PipelineStep, stepMetadata } from './pipeline-step.decorator.ts';
import { PIPELINE_INTERCEPTORS } from './step.interceptor.ts';
import type { PipelineInterceptors, StepInterceptor } from './step.interceptor.ts';
import { next, respond } from './step-outcome.ts';
import type { StepOutcome } from './step-outcome.ts';

/** What happened, in order; each test starts with none. */
const log: string[] = [];
/** The requests that `note` was given. */
const given: PipelineRequest[] = [];

const noteParams = z.strictObject({ name: z.string(), ec: z.string().optional() });

/** Writes down that it ran, and finds what it is told to. */
@PipelineStep('note', noteParams)
class NoteStep {
  readonly execute = async (
    request: PipelineRequest,
    { name, ec }: z.output<typeof noteParams>,
  ): Promise<StepOutcome> => {
    given.push(request);
    log.push(name);
    await Promise.resolve();
    return ec === undefined ? next() : next({ ecParams: rawJson(ec), prefillFailed: false });
  };
}

/** Answers with the status it is told. */
@PipelineStep('answer', z.strictObject({ status: z.int() }), { answers: true })
class AnswerStep {
  readonly execute = async (_request: PipelineRequest, { status }: { status: number }): Promise<StepOutcome> => {
    log.push(`answer ${status}`);
    return Promise.resolve(respond({ status, headers: {}, body: rawJson('{}') }));
  };
}

@PipelineStep('refuse', z.strictObject({}))
class RefuseStep {
  readonly execute = async (): Promise<StepOutcome> => Promise.reject(new BadRequestError('invalid_value', 'no'));
}

const STEPS = [NoteStep, AnswerStep, RefuseStep];

@Module({ providers: STEPS })
class StepsModule {}

const modules: TestingModule[] = [];

afterEach(async () => {
  log.length = 0;
  given.length = 0;
  for (const module of modules.splice(0)) await module.close();
});

async function pipeline(
  steps: readonly object[],
  interceptors: PipelineInterceptors = { pipeline: [], step: [] },
): Promise<PipelineService> {
  const metadata = STEPS.map(stepMetadata).filter((step) => step !== undefined);
  const config = pipelineConfig(metadata, { kv: z.string(), ec: z.string() }).parse({ steps });
  const registered = PipelineModule.register({
    config,
    interceptors: { provide: PIPELINE_INTERCEPTORS, useValue: interceptors },
  });
  const module = await Test.createTestingModule({ imports: [registered, StepsModule] }).compile();
  modules.push(module);
  await module.init();
  return module.get(PipelineService);
}

const note = (name: string, more: object = {}): object => ({ type: 'note', params: { name, ...more } });
const answer = (status = 200): object => ({ type: 'answer', params: { status } });

describe('PipelineService', () => {
  it('runs the steps in the order of the file, each with its own parameters, and gives the answer', async () => {
    const service = await pipeline([note('b'), note('a'), note('b'), answer(201)]);
    expect(service.stepTypes).toEqual(['note', 'note', 'note', 'answer']);
    expect(await service.run(aRequest())).toMatchObject({ status: 201 });
    expect(log).toEqual(['b', 'a', 'b', 'answer 201']);
  });

  it('runs no step behind the one that answers', async () => {
    const service = await pipeline([note('a'), answer(412), note('b'), answer(200)]);
    expect((await service.run(aRequest())).status).toBe(412);
    expect(log).toEqual(['a', 'answer 412']);
  });

  it('shows a step what the steps before it found, and the request beside it', async () => {
    const request = aRequest();
    const service = await pipeline([note('a', { ec: '1' }), note('b'), note('c', { ec: '2' }), note('d'), answer()]);
    await service.run(request);
    expect(given.map(({ ecParams }) => ecParams?.toString())).toEqual([undefined, '1', '1', '2']);
    expect(given.map(({ prefillFailed }) => prefillFailed)).toEqual([undefined, false, false, false]);
    for (const each of given) {
      expect(each.body).toBe(request.body);
      expect(each.scope).toBe(request.scope);
    }
  });

  it('leaves the request it was given as it was', async () => {
    const request = Object.freeze(aRequest());
    await (await pipeline([note('a', { ec: '1' }), answer()])).run(request);
    expect(request.ecParams).toBeUndefined();
  });

  it('keeps requests apart', async () => {
    const service = await pipeline([note('a', { ec: '1' }), note('b'), answer()]);
    const requests = [aRequest({ scope: { id: 'x' } }), aRequest({ scope: { id: 'y' } })];
    await Promise.all(requests.map((request) => service.run(request)));
    expect(given.map(({ scope }) => scope.id).sort()).toEqual(['x', 'x', 'y', 'y']);
  });

  it('ends with what a step threw, and runs none behind it', async () => {
    const service = await pipeline([note('a'), { type: 'refuse' }, note('b'), answer()]);
    await expect(service.run(aRequest())).rejects.toThrow(BadRequestError);
    expect(log).toEqual(['a']);
  });

  it('fails when no step answered', async () => {
    const service = await pipeline([note('a')]);
    await expect(service.run(aRequest())).rejects.toThrow(InternalError);
  });

  it('starts no step for a client that has left', async () => {
    const signal = AbortSignal.abort(new ClientClosedError());
    const service = await pipeline([note('a'), answer()]);
    await expect(service.run(aRequest({ scope: { signal } }))).rejects.toThrow(ClientClosedError);
    expect(log).toEqual([]);
  });

  it('starts no further step when the client leaves while one runs', async () => {
    const client = new AbortController();
    const leaves: StepInterceptor = {
      intercept: async (_call, run) => {
        const outcome = await run();
        client.abort(new ClientClosedError());
        return outcome;
      },
    };
    const service = await pipeline([note('a'), note('b'), answer()], { pipeline: [], step: [leaves] });
    await expect(service.run(aRequest({ scope: { signal: client.signal } }))).rejects.toThrow(ClientClosedError);
    expect(log).toEqual(['a']);
  });

  it('does not start with a step that no module provides', async () => {
    const config = pipelineConfig([{ type: 'gone', schema: z.strictObject({}) }], { kv: z.string(), ec: z.string() });
    const registered = PipelineModule.register({
      config: config.parse({ steps: [{ type: 'gone' }] }),
      interceptors: { provide: PIPELINE_INTERCEPTORS, useValue: { pipeline: [], step: [] } },
    });
    const module = await Test.createTestingModule({ imports: [registered] }).compile();
    await expect(module.init()).rejects.toThrow('unknown step type: gone');
  });
});
