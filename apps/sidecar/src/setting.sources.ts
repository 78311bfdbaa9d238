import type { Environment, FlagValues, ParsedFlags } from '#config';
import type { ConfigValues } from './sidecar.config.ts';
import { FLAG_VARIABLES } from './sidecar.flags.ts';
import type { sidecarFlags } from './sidecar.flags.ts';

type Values = FlagValues<typeof sidecarFlags>;
/** Names of the flags whose values are such. */
export type FlagsOf<T> = { [Name in keyof Values]: Values[Name] extends T ? Name : never }[keyof Values];

/** What strconv.ParseBool takes for true, and for either. */
const TRUE = /^(1|t|T|TRUE|true|True)$/;
const BOOLEAN = /^(1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/;

/** Flags that say what is to be done, or where settings are. */
const NO_SETTINGS = new Set(['help', 'version', 'check', 'configuration', 'configuration-file']);

/** What a setting is: the flag, else the configuration, else the environment, else the default (`sidecar.md` 13). */
export class SettingSources {
  /** What was asked for, and said. */
  private readonly read = new Map<keyof Values, unknown>();

  constructor(
    private readonly flags: ParsedFlags<typeof sidecarFlags>,
    private readonly config: ConfigValues,
    private readonly env: Environment,
  ) {}

  /** Of a flag that is in no configuration: what the command line says, or the default. */
  get values(): Values {
    return this.flags.values;
  }

  /** Where a setting was given: as a flag, in the configuration, or not at all. */
  origin(name: keyof Values): 'flag' | 'configuration' | undefined {
    if (this.flags.overrides[name] !== undefined) return 'flag';
    return this.config[name] === undefined ? undefined : 'configuration';
  }

  /** Empty is not set. */
  text(name: FlagsOf<string | undefined>): string | undefined {
    const given = this.given(name);
    const found = typeof given === 'string' ? given : (this.variable(FLAG_VARIABLES[name]) ?? this.values[name]);
    return this.used(name, found === '' ? undefined : found);
  }

  /** A variable that holds no integer is not there. */
  integer(name: FlagsOf<number>): number {
    const given = this.given(name);
    return this.used(
      name,
      typeof given === 'number' ? given : (this.integerVariable(FLAG_VARIABLES[name]) ?? this.values[name]),
    );
  }

  /** A variable that is no boolean is not there. */
  isOn(name: FlagsOf<boolean>): boolean {
    const given = this.given(name);
    if (typeof given === 'boolean') return this.used(name, given);
    const value = this.variable(FLAG_VARIABLES[name]) ?? '';
    return this.used(name, BOOLEAN.test(value) ? TRUE.test(value) : this.values[name]);
  }

  list(name: FlagsOf<readonly string[] | undefined>): readonly string[] {
    const given = this.given(name) ?? this.values[name];
    return this.used(name, Array.isArray(given) ? given.map(String) : []);
  }

  /** A variable with no flag. */
  integerVariable(variable: string | undefined): number | undefined {
    const text = this.variable(variable);
    return text !== undefined && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
  }

  variable(name: string | undefined): string | undefined {
    const value = name === undefined ? undefined : this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  /** The name of each setting with what it is, for people to read; what is not set is left out. */
  effective(): Readonly<Record<string, unknown>> {
    const all = { ...this.values, ...Object.fromEntries(this.read) };
    const isShown = ([name, value]: [string, unknown]): boolean => value !== undefined && !NO_SETTINGS.has(name);
    return Object.fromEntries(Object.entries(all).filter(isShown));
  }

  private used<Value>(name: keyof Values, value: Value): Value {
    this.read.set(name, value);
    return value;
  }

  private given(name: keyof Values): unknown {
    return this.flags.overrides[name] ?? this.config[name];
  }
}
