import { z } from 'zod';
import type { Candidate } from '../candidate.ts';
import { PREFIX_PRODUCER, TOKEN_PRODUCER } from '../default-producers.ts';
import type { Decider, PluginContext, PreRequest, SchedulingResult } from '../plugin.ts';
import { GATED, IF_AVAILABLE, NOT_CACHED, prefers } from '../prefer.ts';
import { RequestNote } from '../request-note.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { SchedulingError } from '../scheduling.error.ts';
import { tokenCount } from '../scheduling-request.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';

const notNegative = (name: string): z.ZodInt =>
  z.int().min(0, `${name} parameter of prefix disaggregation decider cannot be negative`);

const prefixDeciderParams = z
  .strictObject({
    nonCachedTokens: notNegative('nonCachedTokens')
      .default(0)
      .describe('Tokens not cached that are worth a prefill worker; 0: none.'),
    promptTokens: notNegative('promptTokens').default(0).describe('Shorter prompts are never worth one; 0: any is.'),
    prefixMatchInfoProducerName: z.string().default(''),
  })
  .prefault({});

type PrefixDeciderParams = z.output<typeof prefixDeciderParams>;

/** What is known of a prompt on an endpoint; undefined where it cannot be said, and nothing is decided by it. */
type Verdict = boolean | undefined;

/**
 * Whether enough of a prompt is not in the endpoint's cache to prefill it elsewhere. Declared, it is also the gate of conditional decode:
 * such a request is refused with 412 where prefill would be worth it (`epp.md` 4.5, 4.6).
 */
@SchedulingPlugin({
  type: 'prefix-based-pd-decider',
  parameters: prefixDeciderParams,
  requires: [TOKEN_PRODUCER, PREFIX_PRODUCER],
  references: ({ prefixMatchInfoProducerName: name }) => (name === '' ? [] : [name]),
})
export class PrefixBasedDecider implements Decider, PreRequest {
  readonly stage = 'gate';
  private readonly producer: string;
  private readonly judged: RequestNote<{ readonly chosen: Candidate | undefined; readonly verdict: Verdict }>;

  constructor(
    private readonly params: PrefixDeciderParams,
    { name }: PluginContext,
  ) {
    this.judged = new RequestNote(`${name}:judged`);
    this.producer = params.prefixMatchInfoProducerName === '' ? PREFIX_PRODUCER : params.prefixMatchInfoProducerName;
  }

  disaggregate(request: SchedulingRequest, chosen: Candidate | undefined): boolean {
    return this.verdict(request, chosen) ?? false;
  }

  /** @throws SchedulingError with PreconditionFailed for a conditional request whose prompt is cold */
  before(request: SchedulingRequest, result: SchedulingResult): void {
    if (!prefers(request.headers.get('prefer'), IF_AVAILABLE)) return;
    GATED.set(request, true);
    if (this.params.nonCachedTokens === 0) return;
    const target = result.profiles.get(result.primary)?.targets[0];
    if (target === undefined || this.verdict(request, target) === true) {
      throw new SchedulingError('PreconditionFailed', NOT_CACHED);
    }
  }

  /** Kept for the request: the gate asks again for the endpoint that the handler asked for. */
  private verdict(request: SchedulingRequest, chosen: Candidate | undefined): Verdict {
    const known = this.judged.of(request);
    if (known !== undefined && known.chosen === chosen) return known.verdict;
    const verdict = this.judge(request, chosen);
    this.judged.set(request, { chosen, verdict });
    return verdict;
  }

  private judge(request: SchedulingRequest, chosen: Candidate | undefined): Verdict {
    const { nonCachedTokens, promptTokens } = this.params;
    if (nonCachedTokens === 0) return false;
    if (chosen === undefined) return undefined;
    const input = tokenCount(request);
    if (input === 0) return undefined;
    if (input < promptTokens || input < nonCachedTokens) return false;
    const match = chosen.prefixMatch(this.producer);
    if (match === undefined) return undefined;
    return input - match.matchedBlocks * match.blockSize >= nonCachedTokens;
  }
}
