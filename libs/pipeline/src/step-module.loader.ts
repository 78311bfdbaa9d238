import { createRequire } from 'node:module';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stepMetadata } from './pipeline-step.decorator.ts';
import type { Step } from './step.ts';

/** A step class that a module outside this repository brings; `inject` lists what its constructor takes. */
export interface StepClass {
  new (...dependencies: never[]): Step<never>;
  readonly inject?: readonly (new (...args: never[]) => unknown)[];
}

/**
 * Loads one module of `pipeline.modules`. Its default export is a list of step classes, or a function that takes the kit and
 * returns one: the function form needs no import of ours, so the file can lie anywhere.
 * @param specifier a path relative to `folder`, or the name of a package installed there
 * @throws Error that says what the module should look like
 */
export async function loadStepModule(specifier: string, folder: string, kit: unknown): Promise<readonly StepClass[]> {
  const loaded: unknown = await import(moduleUrl(specifier, folder));
  const exported = typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : undefined;
  const classes = isFactory(exported) ? await exported(kit) : exported;
  if (!Array.isArray(classes) || classes.length === 0 || !classes.every(isStepClass)) {
    throw new Error('must export by default a list of classes made with PipelineStep, or a function that returns one');
  }
  return classes;
}

function moduleUrl(specifier: string, folder: string): string {
  if (specifier.startsWith('.') || isAbsolute(specifier)) return pathToFileURL(resolve(folder, specifier)).href;
  return pathToFileURL(createRequire(resolve(folder, 'module.js')).resolve(specifier)).href;
}

/** Whether it can be called: a class cannot, and gets the message for what is no list. */
function isFactory(exported: unknown): exported is (kit: unknown) => unknown {
  return typeof exported === 'function' && !/^class\b/.test(Function.prototype.toString.call(exported));
}

function isStepClass(candidate: unknown): candidate is StepClass {
  return typeof candidate === 'function' && stepMetadata(candidate) !== undefined;
}
