import type { Candidate } from '../candidate.ts';
import type { Picker, PluginContext, Scored } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { pickerParams, shuffled, wantedOf } from './picked.ts';
import type { PickerParams, Random } from './picked.ts';

/**
 * By chance, in proportion to the totals and without putting back: each draws `u^(1/total)` and the highest are taken (Efraimidis and
 * Spirakis). Those whose total is not above 0 come last, in any order.
 */
@SchedulingPlugin({ type: 'weighted-random-picker', parameters: pickerParams })
export class WeightedRandomPicker implements Picker {
  constructor(
    private readonly params: PickerParams,
    _context?: PluginContext,
    private readonly random: Random = Math.random,
  ) {}

  pick(scored: readonly Scored[]): readonly Candidate[] {
    const drawn = shuffled(scored, this.random).map(({ candidate, total }) => ({
      candidate,
      key: keyOf(total, this.random),
    }));
    return drawn
      .sort((a, b) => b.key - a.key)
      .slice(0, wantedOf(this.params))
      .map(({ candidate }) => candidate);
  }
}

/** The logarithm of `u^(1/total)`, which ranks alike and does not vanish for small totals; finite, so that keys can be subtracted. */
function keyOf(total: number, random: Random): number {
  const drawn = total > 0 ? Math.log(random()) / total : LAST;
  return Math.max(drawn, LAST);
}

const LAST = -Number.MAX_VALUE;
