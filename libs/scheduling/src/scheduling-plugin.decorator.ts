import type { z } from 'zod';
import type { Plugin, PluginContext } from './plugin.ts';

/** A class that makes a plugin of its parameters. */
export type PluginClass<Params> = new (params: Params, context: PluginContext) => Plugin;

/** What the configuration and the factory know of a plugin type. */
export interface PluginMetadata<Params = never> {
  readonly type: string;
  /** Strict: a parameter that it does not know is an error. */
  readonly parameters: z.ZodType<Params>;
  /** Names of other plugins in its parameters, which have to be there and are made before it. */
  readonly references?: (params: Params) => readonly string[];
  /** What is said where one of them is not there; `plugin not found: <name>` where it does not say. */
  readonly notFound?: (params: Params, name: string) => string;
  /** Types that it cannot do without; one of each is made where the configuration has none. */
  readonly requires?: readonly string[];
  /** Parameters of a required plugin that is made for its sake. */
  readonly implies?: (params: Params) => unknown;
  /** Old names of the type, which are accepted with a warning. */
  readonly formerly?: readonly string[];
  /** The type to use in its place, where this one is accepted with a warning only. */
  readonly deprecatedBy?: string;
}

const known = new WeakMap<PluginClass<never>, PluginMetadata>();

/** Names the type by which the configuration asks for the class, and what its parameters may be. */
export function SchedulingPlugin<Params>(metadata: PluginMetadata<Params>) {
  return (target: PluginClass<Params>): void => {
    // read back for that class alone, whose parameters are these
    known.set(target, metadata as unknown as PluginMetadata);
  };
}

/** @throws Error for a class without the decorator */
export function pluginMetadata(plugin: PluginClass<never>): PluginMetadata {
  const metadata = known.get(plugin);
  if (metadata === undefined) throw new Error(`${plugin.name} has no @SchedulingPlugin`);
  return metadata;
}
