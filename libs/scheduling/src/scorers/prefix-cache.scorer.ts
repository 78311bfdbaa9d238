import { z } from 'zod';
import type { Candidate } from '../candidate.ts';
import { PREFIX_PRODUCER } from '../default-producers.ts';
import type { Scorer } from '../plugin.ts';
import { prefixProducerShape } from '../producers/prefix-producer.params.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';

const prefixScorerParams = z
  .strictObject({
    prefixMatchInfoProducerName: z.string().default(''),
    matchLengthWeight: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe('Part of the score that the length of the match has.'),
    matchLengthScaleTokens: z.number().default(8192).describe('Matched tokens that count as long.'),
    // the producer's own, which configure the one that is made for a scorer alone
    ...prefixProducerShape,
  })
  .refine(({ matchLengthWeight, matchLengthScaleTokens }) => matchLengthWeight === 0 || matchLengthScaleTokens > 0, {
    path: ['matchLengthScaleTokens'],
    error: 'has to be above 0 where matchLengthWeight is',
  })
  .prefault({});

type PrefixScorerParams = z.output<typeof prefixScorerParams>;

/** How much of the prompt an endpoint has cached: the matched part, and as far as it is weighted the length of the match. */
@SchedulingPlugin({
  type: 'prefix-cache-scorer',
  parameters: prefixScorerParams,
  requires: [PREFIX_PRODUCER],
  references: ({ prefixMatchInfoProducerName: name }) => (name === '' ? [] : [name]),
  implies: producerParams,
})
export class PrefixCacheScorer implements Scorer {
  private readonly producer: string;

  constructor(private readonly params: PrefixScorerParams) {
    this.producer = params.prefixMatchInfoProducerName === '' ? PREFIX_PRODUCER : params.prefixMatchInfoProducerName;
  }

  score(_request: SchedulingRequest, candidates: readonly Candidate[]): readonly number[] {
    const { matchLengthWeight: weight, matchLengthScaleTokens: scale } = this.params;
    return candidates.map((candidate) => {
      const match = candidate.prefixMatch(this.producer);
      if (match === undefined || match.totalBlocks === 0) return 0;
      const length = weight === 0 ? 0 : Math.min(1, (match.matchedBlocks * match.blockSize) / scale);
      return weight * length ** 2 + (1 - weight) * (match.matchedBlocks / match.totalBlocks);
    });
  }
}

/** What was said about the producer; undefined where nothing was. */
function producerParams(params: PrefixScorerParams): object | undefined {
  const keys = Object.keys(prefixProducerShape);
  const own = Object.entries(params).filter(([key, value]) => keys.includes(key) && value !== undefined);
  return own.length === 0 ? undefined : Object.fromEntries(own);
}
