import type { z } from 'zod';
import type { ConfigProblem } from './config-error.ts';
import { ConfigError } from './config-error.ts';
import type { Finding } from './conform.ts';
import { conform } from './conform.ts';
import { effectiveTree } from './effective-tree.ts';
import type { Environment } from './env-overlay.ts';
import { envOverlay } from './env-overlay.ts';
import { issueMessage } from './issue-message.ts';
import { PathNames } from './path-names.ts';
import type { ConfigTree } from './read-tree.ts';
import { isMap } from './schema-walk.ts';
import { safeMessage } from './secrets.ts';
import { zodFindings } from './zod-findings.ts';

/** What stands above the file. */
export interface ConfigLayers {
  readonly env: Environment;
  /** `COORDINATOR` makes `COORDINATOR_SERVER_READ_TIMEOUT` the variable of `server.read_timeout`. */
  readonly envPrefix: string;
  /** By dotted path, in input form; they win over the environment, which wins over the file. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** How messages call an override: `{'server.metrics_port': '--metrics-port'}`. */
  readonly overrideNames?: Readonly<Record<string, string>>;
}

export interface ParsedConfig<Output> {
  /** Frozen, at every depth. */
  readonly config: Readonly<Output>;
  /** The same in the form it is written in, defaults filled in; for `renderEffective` and `configHash`. */
  readonly effective: unknown;
  /** For the log; none of them stops the start. */
  readonly warnings: readonly string[];
}

/**
 * The configuration, checked and frozen, from what the file says and what stands above it.
 * @throws ConfigError with every problem there is
 */
export function parseTree<Schema extends z.ZodType>(
  tree: ConfigTree,
  schema: Schema,
  layers: ConfigLayers,
): ParsedConfig<z.output<Schema>> {
  const findings: Finding[] = [];
  const input = conform(schema, tree.values, findings);
  const names = new PathNames();
  const warnings = applyLayers(schema, input, layers, names);
  const result = schema.safeParse(input, { error: issueMessage });
  findings.push(...zodFindings(result.error?.issues ?? []));
  if (!result.success || findings.length > 0) {
    throw new ConfigError(`${tree.name ?? 'the configuration'} is invalid`, problemsOf(findings, input, tree, names));
  }
  return { config: deepFreeze(result.data), effective: effectiveTree(schema, input), warnings };
}

/** Writes what the environment and the flags say into `input`. */
function applyLayers(schema: z.ZodType, input: unknown, layers: ConfigLayers, names: PathNames): readonly string[] {
  const { env, envPrefix, overrides = {}, overrideNames = {} } = layers;
  const { settings, warnings } = envOverlay(schema, env, envPrefix);
  for (const { path, value, variable } of settings) names.add(path, variable, setAt(input, path, value));
  for (const [dotted, value] of Object.entries(overrides)) {
    if (value === undefined) continue;
    const path = dotted.split('.');
    names.add(path, overrideNames[dotted] ?? dotted, setAt(input, path, value));
  }
  return warnings;
}

function problemsOf(findings: readonly Finding[], input: unknown, tree: ConfigTree, names: PathNames): ConfigProblem[] {
  const ordered = names.inOrder(findings, tree.values).map(({ path, message }) => ({
    path: names.render(path),
    message: safeMessage(message, path, valueAt(input, path)),
  }));
  return [...new Map(ordered.map((problem) => [`${problem.path}\n${problem.message}`, problem])).values()];
}

/** False when something that is no map is in the way; the schema has a word to say about that. */
function setAt(tree: unknown, path: readonly string[], value: unknown): boolean {
  let map = tree;
  for (const key of path.slice(0, -1)) {
    if (!isMap(map)) return false;
    map = map[key] ??= {};
  }
  if (!isMap(map)) return false;
  map[path.at(-1) ?? ''] = value;
  return true;
}

function valueAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    tree,
  );
}

function deepFreeze<T>(value: T): Readonly<T> {
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
