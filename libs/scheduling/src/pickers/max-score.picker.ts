import type { Candidate } from '../candidate.ts';
import type { Picker, PluginContext, Scored } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { pickerParams, shuffled, wantedOf } from './picked.ts';
import type { PickerParams, Random } from './picked.ts';

/** The highest total; chance decides between equals. */
@SchedulingPlugin({ type: 'max-score-picker', parameters: pickerParams })
export class MaxScorePicker implements Picker {
  constructor(
    private readonly params: PickerParams,
    _context?: PluginContext,
    private readonly random: Random = Math.random,
  ) {}

  pick(scored: readonly Scored[]): readonly Candidate[] {
    // sorting keeps the order of equals
    const ranked = shuffled(scored, this.random).sort((a, b) => b.total - a.total);
    return ranked.slice(0, wantedOf(this.params)).map(({ candidate }) => candidate);
  }
}
