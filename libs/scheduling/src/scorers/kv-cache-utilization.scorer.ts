import { z } from 'zod';
import type { Candidate } from '../candidate.ts';
import type { Scorer } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';

/** The free part of the KV cache. */
@SchedulingPlugin({ type: 'kv-cache-utilization-scorer', parameters: z.strictObject({}).prefault({}) })
export class KvCacheUtilizationScorer implements Scorer {
  score(_request: SchedulingRequest, candidates: readonly Candidate[]): readonly number[] {
    return candidates.map(({ load }) => 1 - (load.kvUsage ?? 0));
  }
}
