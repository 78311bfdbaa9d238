import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { stepMetadata } from './pipeline-step.decorator.ts';
import type { Step } from './step.ts';

/** The steps that Nest's providers offer, by type. */
@Injectable()
export class StepRegistry {
  private steps: ReadonlyMap<string, Step<unknown>> = new Map();

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws Error when two classes claim one type, or the type is nobody's; the message says what to change */
  get(type: string): Step<unknown> {
    if (this.steps.size === 0) this.steps = this.discover();
    const step = this.steps.get(type);
    if (step === undefined) throw new Error(`unknown step type: ${type} (list its class in the providers of a module)`);
    return step;
  }

  private discover(): ReadonlyMap<string, Step<unknown>> {
    const steps = new Map<string, Step<unknown>>();
    for (const provider of this.discovery.getProviders()) {
      const instance: unknown = provider.instance;
      if (!isStep(instance)) continue;
      // the instance's own class: what a factory makes has the factory for its provider's type
      const metadata = stepMetadata(instance.constructor);
      if (metadata === undefined || steps.get(metadata.type) === instance) continue;
      if (steps.has(metadata.type)) {
        throw new Error(`two steps have the type "${metadata.type}": rename one in its @PipelineStep`);
      }
      steps.set(metadata.type, instance);
    }
    return steps;
  }
}

function isStep(instance: unknown): instance is Step<unknown> {
  return typeof instance === 'object' && instance !== null && 'execute' in instance;
}
