import { ConfigError, nearest } from '#config';
import type { ConfigProblem } from '#config';
import { pluginMetadata } from '../scheduling-plugin.decorator.ts';
import type { PluginClass, PluginMetadata } from '../scheduling-plugin.decorator.ts';
import type { PickerConfig, PluginEntry } from './picker-config.schema.ts';

/** A plugin that is to be made: its class, its name, its parameters checked. */
export interface PlannedPlugin {
  readonly name: string;
  readonly type: string;
  readonly make: PluginClass<never>;
  readonly metadata: PluginMetadata;
  readonly params: never;
  /** Names of plugins that are made before it. */
  readonly needs: readonly string[];
}

/** The plugins of a configuration and those that they cannot do without, each checked by itself and against the others. */
export class PluginSet {
  private readonly types: ReadonlyMap<string, { make: PluginClass<never>; metadata: PluginMetadata }>;
  private readonly planned = new Map<string, PlannedPlugin>();
  private readonly problems: ConfigProblem[] = [];

  constructor(
    classes: readonly PluginClass<never>[],
    private readonly warn: (message: string) => void,
  ) {
    this.types = new Map(
      classes.map((make) => {
        const metadata = pluginMetadata(make);
        return [metadata.type, { make, metadata }];
      }),
    );
  }

  /**
   * The plugins in an order in which each comes behind those it needs.
   * @throws ConfigError with every problem
   */
  plan({ plugins }: PickerConfig, defaults: readonly string[]): readonly PlannedPlugin[] {
    plugins.forEach((entry, index) => {
      this.add(entry, `plugins[${index}]`);
    });
    for (const type of defaults) this.addDefault(type);
    for (const plugin of [...this.planned.values()]) this.addRequired(plugin);
    const ordered = this.problems.length > 0 ? [] : this.ordered();
    if (this.problems.length > 0) throw new ConfigError('the endpoint picker configuration is invalid', this.problems);
    return ordered;
  }

  /** One plugin of that type, as it is by default. */
  planOf(type: string): readonly PlannedPlugin[] {
    this.addDefault(type);
    return [...this.planned.values()];
  }

  private add(entry: PluginEntry, path: string): void {
    const name = entry.name ?? entry.type;
    if (entry.type === '') return this.fault(`${path}.type`, `plugin '${name}' is missing a type`);
    if (this.planned.has(name)) return this.fault(`${path}.name`, `there is a plugin '${name}' already`);
    const known = this.types.get(entry.type);
    if (known === undefined) return this.fault(`${path}.type`, this.unknown(entry.type));
    const { metadata } = known;
    if (metadata.deprecatedBy !== undefined)
      this.warn(`plugin type ${entry.type} is deprecated: use ${metadata.deprecatedBy}`);
    this.planChecked({ name, type: entry.type, ...known }, entry.parameters, path);
  }

  private planChecked(known: Omit<PlannedPlugin, 'params' | 'needs'>, parameters: unknown, path: string): void {
    const parsed = known.metadata.parameters.safeParse(parameters ?? undefined);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) {
        this.fault([`${path}.parameters`, ...issue.path.map(String)].join('.'), issue.message);
      }
      return;
    }
    const needs = known.metadata.references?.(parsed.data) ?? [];
    this.planned.set(known.name, { ...known, params: parsed.data, needs });
  }

  private addDefault(type: string): void {
    const isThere = [...this.planned.values()].some((plugin) => plugin.type === type);
    if (!isThere) this.add({ type }, type);
  }

  /** What a plugin needs and nobody declared is made with its defaults, or as the plugin wants it. */
  private addRequired({ metadata, params }: PlannedPlugin): void {
    for (const type of metadata.requires ?? []) {
      if ([...this.planned.values()].some((plugin) => plugin.type === type)) continue;
      this.add({ type, parameters: metadata.implies?.(params) }, type);
      const added = this.planned.get(type);
      if (added !== undefined) this.addRequired(added);
    }
  }

  private ordered(): readonly PlannedPlugin[] {
    const done = new Map<string, PlannedPlugin>();
    const open = new Set<string>();
    const visit = (plugin: PlannedPlugin): void => {
      if (done.has(plugin.name)) return;
      if (open.has(plugin.name)) return this.fault(plugin.name, 'refers to itself by way of other plugins');
      open.add(plugin.name);
      for (const name of plugin.needs) {
        const needed = this.planned.get(name);
        if (needed === undefined) this.fault(plugin.name, `plugin not found: ${name}`);
        else visit(needed);
      }
      open.delete(plugin.name);
      done.set(plugin.name, plugin);
    };
    for (const plugin of this.planned.values()) visit(plugin);
    return [...done.values()];
  }

  private unknown(type: string): string {
    const near = nearest(type, [...this.types.keys()]);
    return `unknown plugin type ${type}${near === undefined ? '' : `, did you mean ${near}?`}`;
  }

  private fault(path: string, message: string): void {
    this.problems.push({ path, message });
  }
}
