import type { Candidate } from '../candidate.ts';
import type { Picker, Scored } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { pickerParams, shuffled, wantedOf } from './picked.ts';
import type { PickerParams } from './picked.ts';

/** The highest total; chance decides between equals. */
@SchedulingPlugin({ type: 'max-score-picker', parameters: pickerParams })
export class MaxScorePicker implements Picker {
  constructor(private readonly params: PickerParams) {}

  pick(scored: readonly Scored[]): readonly Candidate[] {
    // sorting keeps the order of equals
    const ranked = shuffled(scored).sort((a, b) => b.total - a.total);
    return ranked.slice(0, wantedOf(this.params)).map(({ candidate }) => candidate);
  }
}
