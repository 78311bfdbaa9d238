import { z } from 'zod';
import type { Candidate } from '../candidate.ts';
import { IN_FLIGHT_PRODUCER } from '../default-producers.ts';
import type { PluginContext, Scorer } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';

const activeRequestParams = z
  .strictObject({
    idleThreshold: z.int().default(0).describe('Requests in flight up to which an endpoint counts as idle.'),
    maxBusyScore: z.number().default(1).describe('Score that a busy endpoint may come to, 0 to 1.'),
    inFlightLoadProducerName: z.string().default(''),
    requestTimeout: z.string().optional().describe('Has no effect.'),
  })
  .prefault({});

type ActiveRequestParams = z.output<typeof activeRequestParams>;

/** 1 for an idle endpoint; among busy ones the more, the fewer requests were sent there that have not come back. */
@SchedulingPlugin({
  type: 'active-request-scorer',
  parameters: activeRequestParams,
  requires: [IN_FLIGHT_PRODUCER],
  references: ({ inFlightLoadProducerName: name }) => (name === '' ? [] : [name]),
})
export class ActiveRequestScorer implements Scorer {
  private readonly producer: string;
  private readonly idle: number;
  private readonly busiest: number;

  constructor({ idleThreshold, maxBusyScore, inFlightLoadProducerName }: ActiveRequestParams, context: PluginContext) {
    this.producer = inFlightLoadProducerName === '' ? IN_FLIGHT_PRODUCER : inFlightLoadProducerName;
    this.idle = Math.max(0, idleThreshold);
    const isScore = maxBusyScore >= 0 && maxBusyScore <= 1;
    if (!isScore) context.warn(`maxBusyScore ${maxBusyScore} is not between 0 and 1 and has no effect`);
    this.busiest = isScore ? maxBusyScore : 1;
  }

  score(_request: SchedulingRequest, candidates: readonly Candidate[]): readonly number[] {
    const counts = candidates.map((candidate) => candidate.inFlight(this.producer)?.requests ?? 0);
    const most = Math.max(...counts);
    return counts.map((count) => (count <= this.idle ? 1 : ((most - count) / most) * this.busiest));
  }
}
