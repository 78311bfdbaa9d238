import type { Candidate } from './candidate.ts';
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

/** What a profile saw, for whoever asks why: candidates left behind each filter, and each scorer's own score by endpoint. */
export interface ProfileTrace {
  filtered(filter: string, left: readonly Candidate[]): void;
  scored(scorer: string, weight: number, candidates: readonly Candidate[], scores: readonly number[]): void;
}

/** Filters, then weighted scores, then one that picks: how an endpoint is chosen for one phase. */
export class SchedulingProfile {
  constructor(
    readonly name: string,
    private readonly filters: readonly Named<Filter>[],
    private readonly scorers: readonly WeightedScorer[],
    private readonly picker: Named<Picker>,
  ) {}

  /** @throws SchedulingError when no candidate is left */
  run(request: SchedulingRequest, all: readonly Candidate[], trace?: ProfileTrace): ProfileResult {
    const candidates = this.filtered(request, all, trace);
    const scored = this.scored(request, candidates, trace);
    const targets = this.picker.plugin.pick(scored);
    if (targets.length === 0) throw nobody();
    return { targets, scored };
  }

  private filtered(request: SchedulingRequest, all: readonly Candidate[], trace?: ProfileTrace): readonly Candidate[] {
    let left = all;
    for (const { name, plugin } of this.filters) {
      left = plugin.filter(request, left);
      trace?.filtered(name, left);
      if (left.length === 0) throw nobody();
    }
    return left;
  }

  /** The sum over scorers of weight × score, a score being taken for what it may be: 0 to 1. */
  private scored(request: SchedulingRequest, candidates: readonly Candidate[], trace?: ProfileTrace): Scored[] {
    const totals = candidates.map(() => 0);
    for (const { name, plugin, weight } of this.scorers) {
      const scores = plugin.score(request, candidates);
      trace?.scored(name, weight, candidates, scores);
      for (let index = 0; index < totals.length; index++) {
        totals[index] = (totals[index] ?? 0) + weight * clamped(scores[index]);
      }
    }
    return candidates.map((candidate, index) => ({ candidate, total: totals[index] ?? 0 }));
  }
}

function clamped(score: number | undefined): number {
  return score === undefined || !(score > 0) ? 0 : Math.min(score, 1);
}

function nobody(): SchedulingError {
  const message = 'no endpoints available for the given request';
  return new SchedulingError('ResourceExhausted', message, 'rejected-saturated');
}
