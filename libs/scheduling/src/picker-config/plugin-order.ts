import type { ConfigProblem } from '#config';
import type { PlannedPlugin } from './plugin-set.ts';
import type { PluginSet } from './plugin-set.ts';

/**
 * The plugins in an order in which each comes behind those that it refers to or cannot do without.
 * @param problems to which references to nothing, and circles of them, are added
 */
export function pluginOrder(set: PluginSet, problems: ConfigProblem[]): readonly PlannedPlugin[] {
  const done = new Set<PlannedPlugin>();
  const open = new Set<PlannedPlugin>();
  const visit = (plugin: PlannedPlugin): void => {
    if (done.has(plugin)) return;
    if (open.has(plugin)) {
      problems.push({ path: plugin.path, message: `plugin '${plugin.name}' refers to itself by way of other plugins` });
      return;
    }
    open.add(plugin);
    for (const needed of neededBy(plugin, set, problems)) visit(needed);
    open.delete(plugin);
    done.add(plugin);
  };
  for (const plugin of set.plugins.values()) visit(plugin);
  return [...done];
}

function neededBy(plugin: PlannedPlugin, set: PluginSet, problems: ConfigProblem[]): readonly PlannedPlugin[] {
  const { metadata, params, path } = plugin;
  const required = (metadata.requires ?? []).map((type) => set.ofType(type));
  const referred = (metadata.references?.(params) ?? []).map((name) => {
    if (!set.has(name)) {
      problems.push({ path, message: metadata.notFound?.(params, name) ?? `plugin not found: ${name}` });
    }
    return set.plugins.get(name);
  });
  return [...required, ...referred].filter((one) => one !== undefined);
}
