import { z } from 'zod';
import type { Candidate } from '../candidate.ts';
import type { EndpointLoad } from '../endpoint.ts';
import type { Scorer } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';

const NONE = z.strictObject({}).prefault({});

/** The fewest of something scores 1, the most 0, all the others between; 1 for all where all have as many. */
abstract class FewestScorer implements Scorer {
  protected abstract amountOf(load: EndpointLoad): number | undefined;

  score(_request: SchedulingRequest, candidates: readonly Candidate[]): readonly number[] {
    const amounts = candidates.map(({ load }) => this.amountOf(load) ?? 0);
    const [fewest, most] = [Math.min(...amounts), Math.max(...amounts)];
    return amounts.map((amount) => (most === fewest ? 1 : (most - amount) / (most - fewest)));
  }
}

/** By requests that wait. */
@SchedulingPlugin({ type: 'queue-scorer', parameters: NONE })
export class QueueScorer extends FewestScorer {
  protected amountOf({ waiting }: EndpointLoad): number | undefined {
    return waiting;
  }
}

/** By requests that run. */
@SchedulingPlugin({ type: 'running-requests-size-scorer', parameters: NONE })
export class RunningRequestsScorer extends FewestScorer {
  protected amountOf({ running }: EndpointLoad): number | undefined {
    return running;
  }
}
