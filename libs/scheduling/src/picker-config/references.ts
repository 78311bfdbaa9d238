import type { ConfigProblem } from '#config';
import type { Plugin } from '../plugin.ts';
import type { Named } from '../scheduling-profile.ts';
import type { Reference } from './default-plugins.ts';
import type { MadePlugin } from './made-plugin.ts';
import type { PluginSet } from './plugin-set.ts';

/** Finds the plugins that other places of the configuration name, and notes the names that lead to nothing. */
export class References {
  constructor(
    private readonly set: PluginSet,
    private readonly made: ReadonlyMap<string, MadePlugin>,
    private readonly problems: ConfigProblem[],
  ) {}

  get plugins(): readonly MadePlugin[] {
    return [...this.made.values()];
  }

  fault(path: string, message: string): void {
    this.problems.push({ path, message });
  }

  /** Undefined where there is none of that name, or it could not be made; either has been said then. */
  find({ path, name }: Reference): Plugin | undefined {
    if (!this.set.has(name)) this.fault(`${path}.pluginRef`, `no plugin is called '${name}'`);
    return this.made.get(name)?.plugin;
  }

  /** The same for a plugin that has to be of a kind. */
  findOf<Part extends Plugin>(reference: Reference, is: (plugin: Plugin) => plugin is Part): Part | undefined {
    const plugin = this.find(reference);
    if (plugin === undefined || is(plugin)) return plugin;
    this.fault(`${reference.path}.pluginRef`, `'${reference.name}' is of another kind`);
    return undefined;
  }

  /** All plugins of a kind, in the order in which they were made. */
  having<Part extends Plugin>(is: (plugin: Plugin) => plugin is Part): Named<Part>[] {
    return this.plugins.flatMap(({ name, plugin }) => (is(plugin) ? [{ name, plugin }] : []));
  }
}
