import type { Candidate } from './candidate.ts';
import type { Scored } from './plugin.ts';
import type { ProfileTrace } from './scheduling-profile.ts';

/** What one profile did for a request. Endpoints are named by their ids. */
export interface ProfileRecord {
  readonly profile: string;
  /** Candidates that each filter left, in the order of the filters. */
  readonly filters: readonly { readonly filter: string; readonly left: readonly string[] }[];
  /** Each scorer's own scores by endpoint, as it gave them, before they are weighted. */
  readonly scorers: readonly {
    readonly scorer: string;
    readonly weight: number;
    readonly scores: Readonly<Record<string, number>>;
  }[];
  /** Sums of the weighted scores by endpoint. */
  readonly totals: Readonly<Record<string, number>>;
  /** The best one first; none where the profile found nobody. */
  readonly picked: readonly string[];
}

/** What a profile says while it runs, kept in little space. Scores are copied, as a scorer may use its list again. */
export class ProfileEntry implements ProfileTrace {
  private readonly filters: { readonly filter: string; readonly left: readonly string[] }[] = [];
  private readonly scorers: { readonly scorer: string; readonly weight: number; readonly scores: Float64Array }[] = [];
  private ids: readonly string[] = [];
  private totals = new Float64Array();
  private targets: readonly string[] = [];

  constructor(private readonly profile: string) {}

  filtered(filter: string, left: readonly Candidate[]): void {
    this.filters.push({ filter, left: idsOf(left) });
  }

  scored(scorer: string, weight: number, _candidates: readonly Candidate[], scores: readonly number[]): void {
    this.scorers.push({ scorer, weight, scores: new Float64Array(scores) });
  }

  picked(scored: readonly Scored[], targets: readonly Candidate[]): void {
    this.totals = new Float64Array(scored.map(({ total }) => total));
    this.ids = idsOf(scored.map(({ candidate }) => candidate));
    this.targets = idsOf(targets);
  }

  record(): ProfileRecord {
    const { profile, filters, totals, targets: picked } = this;
    const scorers = this.scorers.map((one) => ({ ...one, scores: this.byId(one.scores) }));
    return { profile, filters, scorers, totals: this.byId(totals), picked };
  }

  private byId(values: Float64Array): Readonly<Record<string, number>> {
    return Object.fromEntries(this.ids.map((id, index) => [id, values[index] ?? 0]));
  }
}

function idsOf(candidates: readonly Candidate[]): readonly string[] {
  return candidates.map(({ endpoint }) => endpoint.id);
}
