import { afterEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import type { Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { TestingModule } from '@nestjs/testing';
import { z } from 'zod';
import { PipelineStep } from './pipeline-step.decorator.ts';
import { next } from './step-outcome.ts';
import type { StepOutcome } from './step-outcome.ts';
import { StepRegistry } from './step.registry.ts';

class Nothing {
  readonly execute = async (): Promise<StepOutcome> => Promise.resolve(next());
}

@PipelineStep('first', z.strictObject({}))
class FirstStep extends Nothing {}

@PipelineStep('second', z.strictObject({}))
class SecondStep extends Nothing {
  constructor(readonly first: FirstStep) {
    super();
  }
}

@PipelineStep('first', z.strictObject({}))
class AnotherFirstStep extends Nothing {}

@Module({ providers: [FirstStep], exports: [FirstStep] })
class SharedModule {}

@Module({ imports: [SharedModule], providers: [SecondStep] })
class SecondModule {}

const modules: TestingModule[] = [];

afterEach(async () => {
  for (const module of modules.splice(0)) await module.close();
});

async function registry(
  providers: readonly Provider[],
  imports: readonly (new () => object)[] = [],
): Promise<StepRegistry> {
  const module = await Test.createTestingModule({
    imports: [DiscoveryModule, ...imports],
    providers: [StepRegistry, ...providers],
  }).compile();
  modules.push(module);
  return module.get(StepRegistry);
}

describe('StepRegistry', () => {
  it('finds the steps that modules provide, with what they were given', async () => {
    const steps = await registry([], [SecondModule]);
    const second = steps.get('second');
    expect(second).toBeInstanceOf(SecondStep);
    expect(steps.get('first')).toBe((second as SecondStep).first); // an instance of it, says the line before
  });

  it('finds a step that a factory makes', async () => {
    const steps = await registry([{ provide: FirstStep, useFactory: () => new FirstStep() }]);
    expect(steps.get('first')).toBeInstanceOf(FirstStep);
  });

  it('finds a step under a token of its own', async () => {
    const made = new FirstStep();
    expect((await registry([{ provide: 'any', useValue: made }])).get('first')).toBe(made);
  });

  it('counts a step once that two modules see', async () => {
    expect((await registry([], [SharedModule, SecondModule])).get('first')).toBeInstanceOf(FirstStep);
  });

  it.each(['third', '', 'constructor'])('has no step of type %j, and says what to do', async (type) => {
    const steps = await registry([FirstStep]);
    expect(() => steps.get(type)).toThrow(`unknown step type: ${type} (list its class in the providers of a module)`);
  });

  it('has no step at all where none is provided', async () => {
    const steps = await registry([Nothing, { provide: 'null', useValue: null }, { provide: 'text', useValue: 'x' }]);
    expect(() => steps.get('first')).toThrow('unknown step type');
  });

  it('refuses two classes of one type, each time it is asked', async () => {
    const steps = await registry([FirstStep, AnotherFirstStep]);
    const message = 'two steps have the type "first": rename one in its @PipelineStep';
    expect(() => steps.get('first')).toThrow(message);
    expect(() => steps.get('first')).toThrow(message);
  });
});
