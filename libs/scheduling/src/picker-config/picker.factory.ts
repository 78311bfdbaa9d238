import { ConfigError } from '#config';
import type { ConfigProblem } from '#config';
import type { EndpointStore } from '../endpoint.store.ts';
import { isProfileHandler } from '../plugin-kinds.ts';
import type { PluginContext, ProfileHandler } from '../plugin.ts';
import type { PluginClass } from '../scheduling-plugin.decorator.ts';
import type { Named } from '../scheduling-profile.ts';
import { addDefaultPlugins } from './default-plugins.ts';
import type { MadePlugin } from './made-plugin.ts';
import type { PickerConfig } from './picker-config.schema.ts';
import { pickerParts } from './picker-parts.ts';
import type { PickerParts } from './picker-parts.ts';
import { pluginOrder } from './plugin-order.ts';
import { PluginSet } from './plugin-set.ts';
import type { PlannedPlugin } from './plugin-set.ts';
import { buildProfiles } from './profiles.ts';
import { References } from './references.ts';

/** What plugins are made with. */
export interface PickerSurroundings {
  readonly classes: readonly PluginClass<never>[];
  readonly endpoints: EndpointStore;
  /** Told of what is accepted and should be changed. */
  readonly warn: (message: string) => void;
}

/**
 * Makes every plugin of a configuration and joins them to profiles.
 * @throws ConfigError with every problem there is
 */
export function buildPicker(config: PickerConfig, { classes, endpoints, warn }: PickerSurroundings): PickerParts {
  const problems: ConfigProblem[] = [];
  const set = new PluginSet(classes, warn, problems);
  config.plugins.forEach((entry, index) => {
    set.add(entry, `plugins[${index}]`);
  });
  addDefaultPlugins(set, config);
  set.addRequired();
  const made = new Map<string, MadePlugin>();
  for (const plan of pluginOrder(set, problems)) make(plan, made, { endpoints, warn, problems });
  const references = new References(set, made, problems);
  const profiles = buildProfiles(config, references, warn);
  const handler = handlerOf([...made.values()], config, problems);
  const parts = pickerParts(config, references);
  if (problems.length > 0 || handler === undefined || parts === undefined) {
    throw new ConfigError('the endpoint picker configuration is invalid', problems);
  }
  return { ...parts, profiles, handler };
}

interface Making {
  readonly endpoints: EndpointStore;
  readonly warn: (message: string) => void;
  readonly problems: ConfigProblem[];
}

function make(plan: PlannedPlugin, made: Map<string, MadePlugin>, { endpoints, warn, problems }: Making): void {
  const { name, type, path } = plan;
  const context: PluginContext = {
    name,
    endpoints,
    plugin: (wanted) => {
      const found = made.get(wanted);
      if (found === undefined) throw new MissingPlugin(`plugin not found: ${wanted}`);
      return found.plugin;
    },
    warn: (message) => {
      warn(`plugin ${name}: ${message}`);
    },
  };
  try {
    made.set(name, { name, type, plugin: new plan.make(plan.params, context) });
  } catch (error) {
    // what is not there has been listed by now
    if (error instanceof MissingPlugin) return;
    problems.push({ path, message: error instanceof Error ? error.message : String(error) });
  }
}

class MissingPlugin extends Error {}

/** The one profile handler there may be. */
function handlerOf(
  made: readonly MadePlugin[],
  { schedulingProfiles }: PickerConfig,
  problems: ConfigProblem[],
): Named<ProfileHandler> | undefined {
  const handlers = made.flatMap(({ name, type, plugin }) => (isProfileHandler(plugin) ? [{ name, type, plugin }] : []));
  const [handler, another] = handlers;
  const fault = (message: string): void => void problems.push({ path: 'plugins', message });
  if (another !== undefined) fault(`more than one profile handler: ${handlers.map(({ name }) => name).join(', ')}`);
  if (schedulingProfiles.length > 1) {
    if (handler === undefined) fault('several scheduling profiles, and no profile handler to choose between them');
    if (handler?.type === 'single-profile-handler') fault(`${handler.name} takes exactly one scheduling profile`);
  }
  return handler;
}
