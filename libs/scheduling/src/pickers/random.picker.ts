import type { Candidate } from '../candidate.ts';
import type { Picker, PluginContext, Scored } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { pickerParams, shuffled, wantedOf } from './picked.ts';
import type { PickerParams, Random } from './picked.ts';

/** Any, whatever its score. */
@SchedulingPlugin({ type: 'random-picker', parameters: pickerParams })
export class RandomPicker implements Picker {
  constructor(
    private readonly params: PickerParams,
    _context?: PluginContext,
    private readonly random: Random = Math.random,
  ) {}

  pick(scored: readonly Scored[]): readonly Candidate[] {
    return shuffled(scored, this.random)
      .slice(0, wantedOf(this.params))
      .map(({ candidate }) => candidate);
  }
}
