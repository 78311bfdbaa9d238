import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { stepMetadata } from './pipeline-step.decorator.ts';
import type { Step } from './step.ts';

/** The steps that Nest's providers offer, by type. */
@Injectable()
export class StepRegistry {
  private readonly steps = new Map<string, Step<unknown>>();

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws Error when two classes claim one type, or the type is nobody's; the message says what to change */
  get(type: string): Step<unknown> {
    if (this.steps.size === 0) this.discover();
    const step = this.steps.get(type);
    if (step === undefined) throw new Error(`unknown step type: ${type} (list its class in the providers of a module)`);
    return step;
  }

  private discover(): void {
    for (const { instance, metatype } of this.discovery.getProviders()) {
      const metadata = typeof metatype === 'function' ? stepMetadata(metatype) : undefined;
      if (metadata === undefined || !isStep(instance) || this.steps.get(metadata.type) === instance) continue;
      if (this.steps.has(metadata.type)) {
        throw new Error(`two steps have the type "${metadata.type}": rename one in its @PipelineStep`);
      }
      this.steps.set(metadata.type, instance);
    }
  }
}

function isStep(instance: unknown): instance is Step<unknown> {
  return typeof instance === 'object' && instance !== null && 'execute' in instance;
}
