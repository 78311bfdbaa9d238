import type { CycleTrace, ProfileTrace } from '#scheduling';
import { PICKER_ATTRIBUTES } from './picker-attributes.ts';
import type { PickerFacts } from './picker-facts.ts';
import { ProfileSpans } from './profile-spans.ts';
import type { SpanNode } from './span-node.ts';

/** The spans of one scheduling cycle. They are made when what they stand for is over, with the times at which it began and ended. */
export class CycleSpans implements CycleTrace {
  private askedFrom: number;
  private executed = 0;

  /** @param candidates how many endpoints there are to choose from */
  constructor(
    private readonly parent: SpanNode,
    private readonly facts: PickerFacts | undefined,
    private readonly candidates: number,
  ) {
    this.askedFrom = parent.now();
  }

  asked(wanted: readonly string[]): void {
    if (this.facts?.disaggregation === undefined) return;
    const attributes = {
      [PICKER_ATTRIBUTES.executedProfiles]: this.executed,
      ...(wanted.length > 0 && { [PICKER_ATTRIBUTES.selectedProfile]: wanted.join(',') }),
    };
    this.parent.child('pick_disagg_profile', attributes, this.askedFrom).end();
  }

  profile(name: string): ProfileTrace {
    this.executed++;
    const run = this.parent.child('run_scheduler_profile', { [PICKER_ATTRIBUTES.profile]: name });
    return new ProfileSpans(run, { types: this.facts?.types ?? new Map(), candidates: this.candidates }, () => {
      this.askedFrom = this.parent.now();
    });
  }
}
