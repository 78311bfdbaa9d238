import { ConfigError } from '#config';
import type { ConfigProblem } from '#config';
import type { EndpointStore } from '../endpoint.store.ts';
import type { PluginContext } from '../plugin.ts';
import type { PluginClass } from '../scheduling-plugin.decorator.ts';
import type { MadePlugin } from './made-plugin.ts';
import type { PickerConfig } from './picker-config.schema.ts';
import { PluginSet } from './plugin-set.ts';
import type { PlannedPlugin } from './plugin-set.ts';
import { buildProfiles } from './profiles.ts';
import { pickerParts } from './picker-parts.ts';
import type { PickerParts } from './picker-parts.ts';

/** What plugins are made with. */
export interface PickerSurroundings {
  readonly classes: readonly PluginClass<never>[];
  readonly endpoints: EndpointStore;
  readonly warn: (message: string) => void;
}

/** Made where the configuration has none of them; the last parser takes what no other does. */
const ALWAYS = ['utilization-detector'];
const PARSERS = ['openai-parser', 'vllmhttp-parser', 'passthrough-parser'];

/**
 * Makes every plugin of a configuration and joins them to profiles.
 * @throws ConfigError with every problem there is
 */
export function buildPicker(config: PickerConfig, surroundings: PickerSurroundings): PickerParts {
  const { classes, endpoints, warn } = surroundings;
  const planned = new PluginSet(classes, warn).plan(config, [...ALWAYS, ...PARSERS]);
  const problems: ConfigProblem[] = [];
  const made = new Map<string, MadePlugin>();
  for (const plan of planned) make(plan, made, { endpoints, warn, problems });
  const handler = handlerOf(config, made, { classes, endpoints, warn, problems });
  const profiles = buildProfiles(config, made, problems);
  if (problems.length > 0 || handler === undefined) {
    throw new ConfigError('the endpoint picker configuration is invalid', problems);
  }
  return pickerParts(config, made, { profiles, handler });
}

interface Making {
  readonly endpoints: EndpointStore;
  readonly warn: (message: string) => void;
  readonly problems: ConfigProblem[];
}

function make(plan: PlannedPlugin, made: Map<string, MadePlugin>, { endpoints, warn, problems }: Making): void {
  const context: PluginContext = {
    name: plan.name,
    endpoints,
    plugin: (name) => {
      const found = made.get(name);
      if (found === undefined) throw new Error(`plugin not found: ${name}`);
      return found.plugin;
    },
    warn: (message) => {
      warn(`plugin ${plan.name}: ${message}`);
    },
  };
  try {
    made.set(plan.name, { name: plan.name, type: plan.type, plugin: new plan.make(plan.params, context) });
  } catch (error) {
    problems.push({ path: plan.name, message: error instanceof Error ? error.message : String(error) });
  }
}

/** The one profile handler; where there is one profile only, it need not be said. */
function handlerOf(
  { schedulingProfiles }: PickerConfig,
  made: Map<string, MadePlugin>,
  making: Making & Pick<PickerSurroundings, 'classes'>,
): MadePlugin | undefined {
  const handlers = [...made.values()].filter(({ plugin }) => plugin.conclude !== undefined);
  const problem = handlerProblem(handlers, schedulingProfiles.length);
  if (problem !== undefined) {
    making.problems.push({ path: 'plugins', message: problem });
    return undefined;
  }
  if (handlers[0] !== undefined) return handlers[0];
  const [plan] = new PluginSet(making.classes, making.warn).planOf('single-profile-handler');
  if (plan !== undefined) make(plan, made, making);
  return made.get('single-profile-handler');
}

function handlerProblem(handlers: readonly MadePlugin[], profiles: number): string | undefined {
  const [handler, another] = handlers;
  if (another !== undefined) return `more than one profile handler: ${handlers.map(({ name }) => name).join(', ')}`;
  if (profiles < 2) return undefined;
  if (handler === undefined) return 'several scheduling profiles, and no profile handler to choose between them';
  return handler.type === 'single-profile-handler'
    ? 'single-profile-handler takes exactly one scheduling profile'
    : undefined;
}
