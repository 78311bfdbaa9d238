import type { Candidate } from './candidate.ts';
import { PluginFailure } from './plugin-failure.ts';
import type { Filter, Picker, ProfileResult, Scored, Scorer } from './plugin.ts';
import { SchedulingError } from './scheduling.error.ts';
import type { SchedulingRequest } from './scheduling-request.ts';

/** A plugin of a profile under the name it has there. */
export interface Named<Part> {
  readonly name: string;
  readonly plugin: Part;
}

export interface WeightedScorer extends Named<Scorer> {
  readonly weight: number;
}

/** What a profile saw, for whoever asks why. */
export interface ProfileTrace {
  /** Candidates that a filter left. */
  filtered(filter: string, left: readonly Candidate[]): void;
  /** A scorer's own scores, one for each candidate in their order, before they are weighted. */
  scored(scorer: string, weight: number, candidates: readonly Candidate[], scores: readonly number[]): void;
  /** The totals, and who was chosen. */
  picked(scored: readonly Scored[], targets: readonly Candidate[]): void;
  /** The last word. @param error what kept the profile from an endpoint */
  ended?(error: Error | undefined): void;
}

/** What takes the place of each plugin of a profile. */
export interface ProfileWrapping {
  filter(plugin: Named<Filter>): Filter;
  scorer(plugin: WeightedScorer): Scorer;
  picker(plugin: Named<Picker>): Picker;
}

/** Filters, then weighted scores, then one that picks: how an endpoint is chosen for one phase (`epp.md` 4.2). */
export class SchedulingProfile {
  constructor(
    readonly name: string,
    private readonly filters: readonly Named<Filter>[],
    private readonly scorers: readonly WeightedScorer[],
    private readonly picker: Named<Picker>,
  ) {}

  /** Names of its plugins in the order in which they are asked. */
  get pluginNames(): readonly string[] {
    return [...this.filters, ...this.scorers, this.picker].map(({ name }) => name);
  }

  /** The same profile with others in the places of its plugins. */
  with(wrapping: ProfileWrapping): SchedulingProfile {
    return new SchedulingProfile(
      this.name,
      this.filters.map((one) => ({ name: one.name, plugin: wrapping.filter(one) })),
      this.scorers.map((one) => ({ ...one, plugin: wrapping.scorer(one) })),
      { name: this.picker.name, plugin: wrapping.picker(this.picker) },
    );
  }

  /**
   * @throws SchedulingError when no candidate is left
   * @throws PluginFailure for anything else that a plugin throws
   */
  run(request: SchedulingRequest, all: readonly Candidate[], trace?: ProfileTrace): ProfileResult {
    const candidates = this.filtered(request, all, trace);
    const scored = this.scored(request, candidates, trace);
    const targets = guarded(this.picker.name, () => this.picker.plugin.pick(scored));
    trace?.picked(scored, targets);
    if (targets.length === 0) throw nobody();
    return { targets, scored };
  }

  private filtered(request: SchedulingRequest, all: readonly Candidate[], trace?: ProfileTrace): readonly Candidate[] {
    let left = all;
    for (const { name, plugin } of this.filters) {
      const before = left;
      left = guarded(name, () => plugin.filter(request, before));
      trace?.filtered(name, left);
      if (left.length === 0) break;
    }
    if (left.length === 0) throw nobody();
    return left;
  }

  /** The sum over scorers of weight × score, a score being taken for what it may be: 0 to 1. */
  private scored(request: SchedulingRequest, candidates: readonly Candidate[], trace?: ProfileTrace): Scored[] {
    const totals = candidates.map(() => 0);
    for (const { name, plugin, weight } of this.scorers) {
      const scores = guarded(name, () => plugin.score(request, candidates));
      trace?.scored(name, weight, candidates, scores);
      for (let index = 0; index < totals.length; index++) {
        totals[index] = (totals[index] ?? 0) + weight * clamped(scores[index]);
      }
    }
    return candidates.map((candidate, index) => ({ candidate, total: totals[index] ?? 0 }));
  }
}

function guarded<Result>(plugin: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw error instanceof SchedulingError ? error : new PluginFailure(plugin, error);
  }
}

/** 0 for one that is missing or no number. */
function clamped(score: number | undefined): number {
  return score === undefined || !(score > 0) ? 0 : Math.min(score, 1);
}

function nobody(): SchedulingError {
  const message = 'no endpoints available for the given request';
  return new SchedulingError('ResourceExhausted', message, 'rejected-saturated');
}
