import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Step } from './step.ts';

/** What the pipeline has to know of a step before it runs. */
export interface StepTraits {
  /** Whether the step can answer the client; the last one of a pipeline must. */
  readonly answers?: boolean;
  /** Whether the step makes token ids, which the tokens-in format needs. */
  readonly makesTokens?: boolean;
  /** Whether the step decides on a request before anything is done for it, and so has to be the first. */
  readonly isFirst?: boolean;
}

/** What `@PipelineStep` records. */
export interface StepMetadata extends StepTraits {
  /** The `type` in the configuration. */
  readonly type: string;
  readonly schema: z.ZodType;
}

const STEP_METADATA = Symbol('pipeline:step');

/**
 * Makes a class the step of that type. Its parameters are checked against the schema when the process starts and arrive typed in `execute`.
 * The class is a provider: list it in a module, and the pipeline finds it there.
 */
export function PipelineStep<Schema extends z.ZodType>(type: string, schema: Schema, traits: StepTraits = {}) {
  return (target: new (...dependencies: never[]) => Step<z.output<Schema>>): void => {
    Reflect.defineMetadata(STEP_METADATA, { type, schema, ...traits } satisfies StepMetadata, target);
    Injectable()(target);
  };
}

/** What the decorator recorded on a class; undefined where it was not used. */
export function stepMetadata(target: object): StepMetadata | undefined {
  // the decorator above is the only writer of this key
  return Reflect.getMetadata(STEP_METADATA, target) as StepMetadata | undefined;
}
