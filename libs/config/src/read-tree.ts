import { readFileSync } from 'node:fs';
import type { YAMLError } from 'yaml';
import { parseDocument } from 'yaml';
import type { ConfigProblem } from './config-error.ts';
import { ConfigError } from './config-error.ts';
import { isMap } from './schema-walk.ts';

/** Where the configuration is written: a file, or `text` in its place (`file` is then only its name in messages). */
export interface TreeSource {
  readonly file?: string | undefined;
  readonly text?: string | undefined;
}

/** What is written in the file, before any schema: keys as they are spelled there. */
export interface ConfigTree {
  /** The file's name; undefined when there is none. */
  readonly name: string | undefined;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Reads the YAML and nothing more; no file, or an empty one, is an empty map.
 * @throws ConfigError `reading config: …` when the file cannot be read or is not one YAML map
 */
export function readTree({ file, text }: TreeSource): ConfigTree {
  const content = text ?? (file === undefined ? '' : readText(file));
  return { name: file, values: parseMap(content, file ?? 'the configuration') };
}

/** More values than any configuration has; a file of aliases of aliases gets there. */
const MAX_VALUES = 100_000;
/** The first error often causes the rest. */
const MAX_ERRORS = 5;

function readText(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw new ConfigError(`reading config: ${file}: ${fileTrouble(error)}`, [], { cause: error });
  }
}

function fileTrouble(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'no such file';
    case 'EACCES':
      return 'permission denied';
    case 'EISDIR':
      return 'is a directory, not a file';
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'is not UTF-8 text';
    default:
      return typeof code === 'string' ? `cannot be read (${code})` : 'cannot be read';
  }
}

function parseMap(text: string, name: string): Record<string, unknown> {
  const values = parseYaml(text, name);
  if (values === null || values === undefined) return {};
  if (isMap(values)) return values;
  const kind = Array.isArray(values) ? 'a list' : 'a single value';
  throw new ConfigError(`reading config: ${name} holds ${kind} at its top level; expected a map such as "server:"`);
}

function parseYaml(text: string, name: string): unknown {
  let problems: ConfigProblem[];
  try {
    // Without the known tags of YAML 1.1, `!!binary` and the like are errors instead of values that no key takes.
    const document = parseDocument(text, { merge: true, resolveKnownTags: false, logLevel: 'error' });
    const errors = [...document.errors, ...document.warnings];
    const decisive = errors.filter(({ code }) => code === 'RESOURCE_EXHAUSTION');
    problems = (decisive.length > 0 ? decisive : errors).slice(0, MAX_ERRORS).map((error) => yamlProblem(error, text));
    if (problems.length === 0) return plain(document.toJS({ maxAliasCount: 100 }), { above: [], left: MAX_VALUES });
  } catch (error) {
    throw new ConfigError(`reading config: ${name} is not valid YAML: ${aliasTrouble(error)}`, [], { cause: error });
  }
  throw new ConfigError(`reading config: ${name} is not valid YAML`, problems);
}

/** The library's own message goes on with the line of the file, which may hold a secret. */
function yamlProblem(error: YAMLError, text: string): ConfigProblem {
  const { line, col } = error.linePos?.[0] ?? { line: 1, col: 1 };
  const key = /^[^:\s]{1,80}/.exec(text.slice(error.pos[0]))?.[0] ?? '';
  const message =
    error.code === 'DUPLICATE_KEY'
      ? `the key ${key} is there a second time; keep one of them`
      : (REPLACED[error.code] ?? firstSentence(error.message));
  return { path: `line ${line}, column ${col}`, message };
}

const REPLACED: Readonly<Record<string, string>> = {
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  TAG_RESOLVE_FAILED: 'tags are not known here; a text that begins with "!" needs quotes',
  MULTIPLE_DOCS: 'holds a second document; remove "---" and what follows',
  TAB_AS_INDENT: 'tabs cannot indent; use spaces',
};

function firstSentence(message: string): string {
  const [line = ''] = message.split('\n');
  return line.replace(/ at line \d+, column \d+:$/, '').replace(/: .*$/, '');
}

function aliasTrouble(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('Unresolved alias')) return 'an alias has no anchor; a text that begins with "*" needs quotes';
  if (message.startsWith('Excessive alias') || error instanceof AliasError) return 'its aliases expand too far';
  return 'it cannot be understood';
}

/** An alias of what it stands in, or too many values. */
class AliasError extends Error {}

/** A copy in which nothing is shared: aliases make the library's result a graph, which may be endless. */
function plain(value: unknown, state: { above: unknown[]; left: number }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  state.left -= 1;
  if (state.left < 0 || state.above.includes(value)) throw new AliasError();
  state.above.push(value);
  const copy = Array.isArray(value)
    ? value.map((item) => plain(item, state))
    : Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plain(child, state)]));
  state.above.pop();
  return copy;
}
