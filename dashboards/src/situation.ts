import type { MetricSpec } from '#telemetry/catalogue';
import type { AlertName } from './component.ts';
import { selector } from './selector.ts';
import type { Suffix, TargetLabel } from './selector.ts';

/** What Prometheus saw, and which alert it must raise, or must not. Time goes in steps of a minute. */
export interface Situation {
  readonly alert: AlertName;
  /** What is going on, as a clause. */
  readonly when: string;
  readonly series: readonly Series[];
  /** Minutes from the first sample to the look at the alerts. */
  readonly at: number;
  /** The one alert that fires; absent: none of that name. */
  readonly fires?: Firing;
}

export interface Firing {
  /** Minutes at which it does not fire yet: what is wrong has to last. */
  readonly notBefore: number;
  /** Labels of the alert beside those of its rule. */
  readonly labels: Readonly<Record<string, string>>;
  /** Those of its rule that tell it from others of its name. */
  readonly rule?: Readonly<Record<string, string>>;
  /** `$value` as the summary shows it. */
  readonly value?: string;
}

/** Samples of one series, in promtool's notation: `0+2x30` is 31 samples from 0, each 2 more. */
export interface Series {
  readonly series: string;
  readonly values: string;
}

type Labels<M extends MetricSpec> = { readonly [L in M['labels'][number]]: string } & {
  readonly [L in TargetLabel | 'le']?: string;
};

/** Whose series they are. */
export interface Target {
  readonly job: string;
  readonly instance: string;
}

export const TARGET: Target = { job: 'coordinator', instance: 'a:9090' };

/** Makes series of catalogue entries, each with every label that it has, of one process where they name no other. */
export function seriesOf(target: Target) {
  return <const M extends MetricSpec>(metric: M, labels: Labels<M>, values: string, suffix: Suffix = ''): Series => ({
    series: selector(metric.name + suffix, { ...target, ...labels }),
    values,
  });
}

/** A coordinator's. */
export const series = seriesOf(TARGET);

/** A value that stays for so many minutes. */
export function steady(value: number, minutes: number): string {
  return `${value}x${minutes}`;
}

/** A counter that grows by so much each minute, then by another amount. */
export function growing(perMinute: number, minutes: number, then?: { perMinute: number; minutes: number }): string {
  const first = `0+${perMinute}x${minutes}`;
  if (then === undefined) return first;
  return `${first} ${perMinute * minutes + then.perMinute}+${then.perMinute}x${then.minutes - 1}`;
}
