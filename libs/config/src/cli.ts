import { parseArgs } from 'node:util';
import type { ConfigProblem } from './config-error.ts';
import { ConfigError } from './config-error.ts';
import { nearest } from './nearest.ts';
import { show } from './secrets.ts';
import { booleanFrom, listFrom } from './text-values.ts';

type FlagKind = 'text' | 'integer' | 'switch' | 'list';

/** One row of the flag table. */
export interface Flag {
  /** Without dashes: `metrics-port`, or one letter. */
  readonly name: string;
  /** `integer` takes a number, `switch` nothing or `=false`, `list` a comma list. */
  readonly kind: FlagKind;
  /** What it does, for the help. */
  readonly help: string;
  /** What stands for the value in the help: `FILE`. */
  readonly value?: string;
  /** Another name, such as the letter `h` of `help`. */
  readonly alias?: string;
  /** The configuration key that the flag overrides when it is given: `server.metrics_port`. */
  readonly path?: string;
  /** The value when the flag is not given. A flag with a `path` shows it in the help and overrides nothing. */
  readonly default?: FlagValue;
}

export type FlagValue = string | number | boolean | readonly string[];

interface ValueOf {
  text: string;
  integer: number;
  switch: boolean;
  list: readonly string[];
}

/** By flag name; undefined when the flag is not given and has no default. Switches are false then. */
export type FlagValues<Flags extends readonly Flag[]> = {
  readonly [F in Flags[number] as F['name']]: F['kind'] extends 'switch'
    ? boolean
    : F extends { default: FlagValue }
      ? ValueOf[F['kind']]
      : ValueOf[F['kind']] | undefined;
};

export interface ParsedFlags<Flags extends readonly Flag[]> {
  readonly values: FlagValues<Flags>;
  /** Of flags with a `path` that were given, by that path; with `overrideNames` the rest of `ConfigLayers`. */
  readonly overrides: Readonly<Record<string, FlagValue>>;
  readonly overrideNames: Readonly<Record<string, string>>;
}

/** The flags that every program has. */
const STANDARD = [
  { name: 'check', kind: 'switch', help: 'Check the configuration, print it with defaults filled in, and exit.' },
  { name: 'version', kind: 'switch', help: 'Print the version and exit.' },
  { name: 'help', kind: 'switch', alias: 'h', help: 'Print this help and exit.' },
] as const satisfies readonly Flag[];

/** A flag table with `--check`, `--version` and `--help` at its end. */
export function defineFlags<const Flags extends readonly Flag[]>(
  flags: Flags,
): readonly [...Flags, ...typeof STANDARD] {
  return [...flags, ...STANDARD];
}

/**
 * Reads a command line as Go's and GNU's parsers do: `-v 4`, `-v=4`, `--config FILE`, `-config=FILE`, `--tracing`,
 * `--tracing=false`. A flag given twice has its last value, a list all of them.
 * @param argv without the program: `process.argv.slice(2)`
 * @throws ConfigError with everything that is wrong
 */
export function parseFlags<Flags extends readonly Flag[]>(flags: Flags, argv: readonly string[]): ParsedFlags<Flags> {
  const problems: ConfigProblem[] = [];
  const given = new Map<Flag, FlagValue>();
  for (const { flag, text, problem, name } of tokensOf(flags, argv)) {
    const value = flag === undefined || problem !== undefined ? undefined : valueFrom(flag.kind, text);
    if (flag !== undefined && value !== undefined) given.set(flag, joined(given.get(flag), value));
    else
      problems.push({
        path: name,
        message: problem ?? `expected ${EXPECTED[flag?.kind ?? 'text']}, got ${show(text)}`,
      });
  }
  if (problems.length > 0) throw new ConfigError('the command line is invalid (--help lists the flags)', problems);
  const overriding = [...given].flatMap(([flag, value]) =>
    flag.path === undefined ? [] : [{ ...flag, path: flag.path, value }],
  );
  return {
    // The entries are made from the table that the type is made from.
    values: Object.fromEntries(flags.map((flag) => [flag.name, given.get(flag) ?? absent(flag)])) as FlagValues<Flags>,
    overrides: Object.fromEntries(overriding.map(({ path, value }) => [path, value])),
    overrideNames: Object.fromEntries(overriding.map(({ path, name }) => [path, dashed(name)])),
  };
}

/** `--config`, `-v`. */
export function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

interface Token {
  /** The flag or argument as messages call it. */
  readonly name: string;
  readonly flag?: Flag;
  readonly text?: string | undefined;
  readonly problem?: string;
}

const EXPECTED: Readonly<Record<FlagKind, string>> = {
  text: 'a value',
  integer: 'an integer',
  switch: 'true or false',
  list: 'a comma list',
};

function tokensOf(flags: readonly Flag[], argv: readonly string[]): Token[] {
  const byName = new Map(
    flags.flatMap((flag) => [flag.name, flag.alias ?? flag.name].map((name) => [name, flag] as const)),
  );
  const { tokens } = parseArgs({
    // One dash or two make no difference here, and letters are not bundled; `-1` stays a number.
    args: argv.map((argument) => argument.replace(/^-(?=[a-z])/i, '--')),
    options: Object.fromEntries(
      [...byName].map(([name, flag]) => [name, { type: flag.kind === 'switch' ? 'boolean' : 'string' }]),
    ),
    strict: false,
    tokens: true,
  });
  return tokens.flatMap((token, place) => {
    if (token.kind === 'option-terminator') return [];
    if (token.kind === 'option') return [flagToken(byName, token)];
    const before = tokens[place - 1];
    const flagBefore = before?.kind === 'option' ? byName.get(before.name) : undefined;
    // What follows an unknown flag is likely its value, and may be a secret.
    if (before?.kind === 'option' && flagBefore === undefined) return [];
    return [strayToken(token.value, flagBefore)];
  });
}

function flagToken(
  byName: ReadonlyMap<string, Flag>,
  token: { name: string; value?: string | undefined; inlineValue?: boolean | undefined },
): Token {
  const name = dashed(token.name);
  const flag = byName.get(token.name);
  if (flag === undefined) {
    const meant = nearest(token.name, byName.keys());
    return { name, problem: meant === undefined ? 'unknown flag' : `unknown flag (did you mean ${dashed(meant)}?)` };
  }
  if (flag.kind === 'switch') return { name, flag, text: token.value ?? 'true' };
  const takesNextFlag = token.inlineValue === false && token.value?.startsWith('--') === true;
  if (token.value !== undefined && !takesNextFlag) return { name, flag, text: token.value };
  return { name, flag, problem: `needs a value: ${name}=${flag.value ?? 'VALUE'}` };
}

function strayToken(text: string, before: Flag | undefined): Token {
  const advice = before?.kind === 'switch' ? `; a value of ${dashed(before.name)} goes behind "="` : '';
  return { name: show(text), problem: `unexpected argument${advice}` };
}

function valueFrom(kind: FlagKind, text = ''): FlagValue | undefined {
  switch (kind) {
    case 'text':
      return text;
    case 'integer':
      return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
    case 'switch':
      return booleanFrom(text);
    case 'list':
      return listFrom(text);
  }
}

/** Lists add up. */
function joined(before: FlagValue | undefined, value: FlagValue): FlagValue {
  return isList(before) && isList(value) ? [...before, ...value] : value;
}

/** `Array.isArray` does not know lists that cannot be written to. */
function isList(value: FlagValue | undefined): value is readonly string[] {
  return Array.isArray(value);
}

function absent(flag: Flag): FlagValue | undefined {
  return flag.default ?? (flag.kind === 'switch' ? false : undefined);
}
