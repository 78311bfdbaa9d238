import { z } from 'zod';
import type { Candidate } from '../candidate.ts';
import type { Scorer } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';

const DEFAULT_THRESHOLD = 128;

const loadAwareParams = z
  .strictObject({ threshold: z.number().default(DEFAULT_THRESHOLD).describe('Waiting requests that score 0.') })
  .prefault({});

type LoadAwareParams = z.output<typeof loadAwareParams>;

/** 0.5 for an empty queue, falling to 0 at the threshold. */
@SchedulingPlugin({ type: 'load-aware-scorer', parameters: loadAwareParams })
export class LoadAwareScorer implements Scorer {
  private readonly threshold: number;

  constructor({ threshold }: LoadAwareParams) {
    this.threshold = threshold > 0 ? threshold : DEFAULT_THRESHOLD;
  }

  score(_request: SchedulingRequest, candidates: readonly Candidate[]): readonly number[] {
    return candidates.map(({ load }) => 0.5 * (1 - Math.min(load.waiting ?? 0, this.threshold) / this.threshold));
  }
}
