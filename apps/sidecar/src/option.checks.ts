import { duration } from '#config';
import type { ConfigProblem } from '#config';
import { isPort } from './port-range.ts';
import type { FlagsOf, SettingSources } from './setting.sources.ts';

/** Settings as values of their kind. What is wrong with them is gathered, so that all of it is told at once. */
export class OptionChecks {
  readonly problems: ConfigProblem[] = [];
  readonly warnings: string[] = [];

  constructor(readonly sources: SettingSources) {}

  fault(flag: string, message: string): void {
    this.problems.push({ path: `--${flag}`, message });
  }

  /** One of the names. */
  choice<Name extends string>(flag: FlagsOf<string | undefined>, names: readonly Name[], given: string): Name {
    const found = names.find((name) => name === given);
    if (found === undefined)
      this.fault(flag, `--${flag} must be one of: ${names.join(', ')}, got ${given.slice(0, 64)}`);
    // what is wrong stops the start, so any name will do
    return found ?? (names[0] as Name);
  }

  port(flag: FlagsOf<number>): number {
    const port = this.sources.integer(flag);
    if (!isPort(port)) this.fault(flag, `--${flag} must be between 1 and 65535, got ${port}`);
    return port;
  }

  least(flag: FlagsOf<number>, least: number, most = Number.MAX_SAFE_INTEGER): number {
    const value = this.sources.integer(flag);
    if (value < least) this.fault(flag, `--${flag} must be at least ${least}, got ${value}`);
    if (value > most) this.fault(flag, `--${flag} must be at most ${most}, got ${value}`);
    return value;
  }

  /** Milliseconds. */
  time(flag: FlagsOf<string | undefined>): number {
    const { data, error } = duration().safeParse(this.sources.text(flag) ?? '');
    if (error !== undefined) this.fault(flag, error.issues[0]?.message ?? 'is no duration');
    return data ?? 0;
  }
}
