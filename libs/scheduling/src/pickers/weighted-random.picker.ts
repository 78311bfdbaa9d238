import type { Candidate } from '../candidate.ts';
import type { Picker, Scored } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { pickerParams, shuffled, wantedOf } from './picked.ts';
import type { PickerParams } from './picked.ts';

/**
 * By chance, in proportion to the totals and without putting back: each draws `u^(1/total)` and the highest are taken (Efraimidis and
 * Spirakis). Where no total is above 0, any.
 */
@SchedulingPlugin({ type: 'weighted-random-picker', parameters: pickerParams })
export class WeightedRandomPicker implements Picker {
  constructor(private readonly params: PickerParams) {}

  pick(scored: readonly Scored[]): readonly Candidate[] {
    const drawn = shuffled(scored).map(({ candidate, total }) => ({ candidate, key: keyOf(total) }));
    return drawn
      .sort((a, b) => b.key - a.key)
      .slice(0, wantedOf(this.params))
      .map(({ candidate }) => candidate);
  }
}

function keyOf(total: number): number {
  return total > 0 ? Math.random() ** (1 / total) : 0;
}
