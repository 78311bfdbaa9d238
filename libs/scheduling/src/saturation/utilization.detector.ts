import { z } from 'zod';
import { duration } from '#config';
import type { Candidate } from '../candidate.ts';
import type { EndpointLoad } from '../endpoint.ts';
import type { SaturationDetector } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';

const utilizationParams = z
  .strictObject({
    queueDepthThreshold: z.int().min(1).default(5).describe('Waiting requests at which an endpoint counts as full.'),
    kvCacheUtilThreshold: z
      .number()
      .gt(0)
      .max(1)
      .default(0.8)
      .describe('Part of the KV cache in use at which an endpoint counts as full.'),
    metricsStalenessThreshold: duration('200ms', { min: '1ms' }).describe('Age from which figures do not count.'),
    headroom: z.number().min(0).default(0).describe('Has no effect: endpoints are not filtered by it.'),
  })
  .prefault({});

type UtilizationParams = z.output<typeof utilizationParams>;

/**
 * The mean over endpoints of how full each is, by its queue or its KV cache, whichever is fuller. An endpoint that did not say lately
 * counts as full, and so does a pool without endpoints (`epp.md` 9).
 */
@SchedulingPlugin({ type: 'utilization-detector', parameters: utilizationParams })
export class UtilizationDetector implements SaturationDetector {
  constructor(private readonly params: UtilizationParams) {}

  saturation(candidates: readonly Candidate[]): number {
    if (candidates.length === 0) return 1;
    const oldest = performance.now() - this.params.metricsStalenessThreshold;
    return candidates.reduce((sum, { load }) => sum + this.fullness(load, oldest), 0) / candidates.length;
  }

  private fullness({ waiting, kvUsage, updatedAt }: EndpointLoad, oldest: number): number {
    if (updatedAt === undefined || updatedAt < oldest) return 1;
    // an engine may have no figure for one of the two
    if (waiting === undefined && kvUsage === undefined) return 1;
    const { queueDepthThreshold, kvCacheUtilThreshold } = this.params;
    return Math.max((waiting ?? 0) / queueDepthThreshold, (kvUsage ?? 0) / kvCacheUtilThreshold);
  }
}
