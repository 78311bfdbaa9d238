import { hostPort } from '#scheduling';
import type { Candidate, ProfileTrace, Scored } from '#scheduling';
import { errorType } from './error-type.ts';
import { PICKER_ATTRIBUTES as NAME } from './picker-attributes.ts';
import type { SpanNode } from './span-node.ts';

/** What is known of a profile before it is run. */
export interface ProfileView {
  /** Types of plugins by name. */
  readonly types: ReadonlyMap<string, string>;
  readonly candidates: number;
}

/** The spans of one profile: each step of it reaches from where the one before ended to where it is told of. */
export class ProfileSpans implements ProfileTrace {
  private from: number;
  private left: number;
  private scorers = 0;
  private filtering: SpanNode | undefined;
  private scoring: SpanNode | undefined;

  constructor(
    private readonly run: SpanNode,
    private readonly view: ProfileView,
    private readonly over: () => void,
  ) {
    this.from = run.now();
    this.left = view.candidates;
    this.filtering = run.child('filter_endpoints', { [NAME.filterCandidates]: view.candidates }, this.from);
  }

  filtered(_filter: string, left: readonly Candidate[]): void {
    this.left = left.length;
    this.from = this.run.now();
  }

  scored(scorer: string, weight: number, candidates: readonly Candidate[], scores: readonly number[]): void {
    const scoring = this.beginScoring();
    this.scorers++;
    const type = this.view.types.get(scorer) ?? scorer;
    const attributes = {
      [NAME.scorerType]: type,
      [NAME.scorerName]: scorer,
      [NAME.scorerWeight]: weight,
      [NAME.scored]: candidates.length,
      ...summaryOf(scores),
    };
    const one = scoring.child(`llm_d.epp.scorer.${type}`, attributes, this.from);
    this.from = this.run.now();
    one.end(this.from);
  }

  picked(scored: readonly Scored[], targets: readonly Candidate[]): void {
    this.beginScoring();
    this.endScoring();
    const totals = new Map(scored.map(({ candidate, total }) => [candidate, total]));
    const attributes = {
      [NAME.pickerCandidates]: scored.length,
      [NAME.picked]: targets.map(({ endpoint }) => hostPort(endpoint)),
      [NAME.pickedScores]: targets.map((target) => totals.get(target) ?? 0),
    };
    this.run.child('pick_endpoints', attributes, this.from).end();
  }

  ended(error: Error | undefined): void {
    this.endFiltering();
    this.endScoring();
    if (error !== undefined) this.run.fail(errorType(error));
    this.run.end();
    this.over();
  }

  private beginScoring(): SpanNode {
    this.endFiltering();
    return (this.scoring ??= this.run.child('llm_d.epp.scoring', { [NAME.scoringCandidates]: this.left }, this.from));
  }

  private endFiltering(): void {
    this.filtering?.set({ [NAME.filtered]: this.left });
    this.filtering?.end(this.from);
    this.filtering = undefined;
  }

  private endScoring(): void {
    this.scoring?.set({ [NAME.scorerCount]: this.scorers });
    this.scoring?.end(this.from);
    this.scoring = undefined;
  }
}

function summaryOf(scores: readonly number[]): Readonly<Record<string, number>> {
  if (scores.length === 0) return {};
  let [sum, max] = [0, -Infinity];
  for (const score of scores) {
    sum += score;
    max = Math.max(max, score);
  }
  return { [NAME.scoreMax]: max, [NAME.scoreMean]: sum / scores.length };
}
