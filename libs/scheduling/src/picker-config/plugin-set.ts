import { ConfigError, nearest, parseTree } from '#config';
import type { ConfigProblem } from '#config';
import { pluginMetadata } from '../scheduling-plugin.decorator.ts';
import type { PluginClass, PluginMetadata } from '../scheduling-plugin.decorator.ts';
import type { PluginEntry } from './picker-config.schema.ts';

/** A plugin that is to be made: its class, its name, its parameters checked. */
export interface PlannedPlugin {
  readonly name: string;
  readonly type: string;
  readonly make: PluginClass<never>;
  readonly metadata: PluginMetadata;
  readonly params: never;
  /** Where the configuration has it, or that it is there by default. */
  readonly path: string;
}

/** The plugins of a configuration and those that they cannot do without, each checked by itself. */
export class PluginSet {
  private readonly types: ReadonlyMap<string, KnownType>;
  private readonly planned = new Map<string, PlannedPlugin>();
  private readonly claimed = new Set<string>();

  /** @param problems to which everything that is wrong is added */
  constructor(
    classes: readonly PluginClass<never>[],
    private readonly warn: (message: string) => void,
    private readonly problems: ConfigProblem[],
  ) {
    this.types = new Map(classes.flatMap(typesOf));
  }

  /** Those without a problem of their own, by name. */
  get plugins(): ReadonlyMap<string, PlannedPlugin> {
    return this.planned;
  }

  /** Whether the name is taken, be it by a plugin that cannot be made. */
  has(name: string): boolean {
    return this.claimed.has(name);
  }

  /** Adds a plugin as it is written. */
  add(entry: PluginEntry, path: string): void {
    const { type, name = type } = entry;
    if (type === '') return this.fault(`${path}.type`, `plugin '${name}' is missing a type`);
    if (this.claimed.has(name)) return this.fault(`${path}.name`, `there is a plugin '${name}' already`);
    this.claimed.add(name);
    const known = this.types.get(type);
    if (known === undefined) return this.fault(`${path}.type`, this.unknown(type));
    if (known.instead !== undefined) this.warn(`plugin type ${type} is deprecated: use ${known.instead}`);
    this.plan(name, known, entry.parameters ?? {}, path);
  }

  /** Adds a plugin of the type where there is none. */
  addDefault(type: string, parameters?: unknown): void {
    if (!this.ofType(type)) this.add({ type, parameters }, `plugins (${type} by default)`);
  }

  /**
   * Adds what the plugins cannot do without, and what that cannot do without: as a plugin wants it, or else with its defaults. Wishes come
   * first, so that it does not matter which plugin is listed above which.
   */
  addRequired(): void {
    for (const plugin of [...this.planned.values()]) this.addImplied(plugin);
    // a map lets its values be read while more are added
    for (const { metadata } of this.planned.values()) {
      for (const type of metadata.requires ?? []) this.addDefault(type);
    }
  }

  ofType(type: string): PlannedPlugin | undefined {
    return [...this.planned.values()].find((plugin) => plugin.type === type);
  }

  private addImplied({ name, metadata, params }: PlannedPlugin): void {
    const parameters = metadata.implies?.(params);
    if (parameters === undefined) return;
    for (const type of metadata.requires ?? []) {
      const there = this.ofType(type);
      this.warn(
        there === undefined
          ? `plugin ${name}: some of its parameters are those of ${type}, which is made with them`
          : `plugin ${name}: some of its parameters are those of ${type} and have no effect, as there is ${there.name}`,
      );
      this.addDefault(type, parameters);
    }
  }

  private plan(name: string, { make, metadata }: KnownType, parameters: unknown, path: string): void {
    if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
      return this.fault(`${path}.parameters`, 'expected a map');
    }
    // an object that is neither null nor a list has keys
    const values = parameters as Record<string, unknown>;
    try {
      const { config } = parseTree({ name: undefined, values }, metadata.parameters, { env: {}, envPrefix: '' });
      this.planned.set(name, { name, type: metadata.type, make, metadata, params: config, path });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const { path: inside, message } of error.problems) {
        this.fault([`${path}.parameters`, inside].filter(Boolean).join('.'), message);
      }
    }
  }

  private unknown(type: string): string {
    const near = nearest(type, [...this.types.keys()]);
    return `unknown plugin type ${type}${near === undefined ? '' : `, did you mean ${near}?`}`;
  }

  private fault(path: string, message: string): void {
    this.problems.push({ path, message });
  }
}

interface KnownType {
  readonly make: PluginClass<never>;
  readonly metadata: PluginMetadata;
  /** What to write in its place. */
  readonly instead: string | undefined;
}

function typesOf(make: PluginClass<never>): (readonly [string, KnownType])[] {
  const metadata = pluginMetadata(make);
  const { type, formerly = [], deprecatedBy } = metadata;
  const old = formerly.map((name) => [name, { make, metadata, instead: deprecatedBy ?? type }] as const);
  return [[type, { make, metadata, instead: deprecatedBy }], ...old];
}
