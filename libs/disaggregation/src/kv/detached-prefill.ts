import { Logger } from '@nestjs/common';
import type { UpstreamReply } from '#gateway';
import type { JsonObject } from '#json';
import { hostPortText } from '#protocol';
import type { LocalDecode } from '../decode/local-decode.ts';
import type { TransferRequest } from '../disagg-request.ts';
import type { StageEnd } from '../disagg.observer.ts';
import { CalledOffError, endOf, failureOf, isGood } from '../stage-failure.ts';
import type { StageClient } from '../stage.client.ts';
import { checkPrefill } from './prefill-check.ts';

/** What the two workers are sent. */
export interface ConcurrentLegs {
  readonly prefill: JsonObject;
  /** Flat, lower-case; of the prefill leg alone. */
  readonly prefillHeaders?: readonly string[];
  readonly decode: JsonObject;
  /** Told of each leg that failed by a fault of its worker. */
  readonly onFailure?: () => void;
}

/**
 * Prefill and decode at the same time: the answer is decode's, and prefill's is looked at, then dropped (`sidecar.md` 4.6). A prefill
 * that fails is logged and counted, no more, since the engines settle between them what becomes of its blocks. It is called
 * off when the client leaves or decode fails, for nobody takes its blocks then.
 */
export class DetachedPrefill {
  private readonly logger = new Logger('prefill');

  constructor(
    private readonly stages: StageClient,
    private readonly decode: LocalDecode,
  ) {}

  /** @throws what decode failed with */
  async run(request: TransferRequest, legs: ConcurrentLegs): Promise<UpstreamReply> {
    request.watch.note({ isConcurrent: true });
    const decodeFailed = new AbortController();
    const callOff = (status?: number): void => {
      if (!request.scope.signal.aborted && isOfWorker(status)) legs.onFailure?.();
      decodeFailed.abort(new CalledOffError());
    };
    void this.prefill(request, legs, decodeFailed.signal);
    try {
      const reply = await this.decode.stream(request, legs.decode);
      if (!isGood(reply.status)) callOff(reply.status);
      const end = (error: Error | undefined): void => {
        if (error !== undefined) callOff();
      };
      reply.body.observe({ end });
      return reply;
    } catch (error) {
      callOff();
      throw error;
    }
  }

  /** Never rejects. */
  private async prefill(request: TransferRequest, legs: ConcurrentLegs, decodeFailed: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([request.scope.signal, decodeFailed]);
    const base = this.stages.baseOf('prefill', request.prefiller);
    const headers = legs.prefillHeaders ?? [];
    try {
      const body = legs.prefill.toRope();
      const answer = await this.stages.whole(request, { stage: 'prefill', base, body, headers, signal }, checkPrefill);
      if (!isGood(answer.status)) this.failed(request, legs, endOf(answer.status));
    } catch (error) {
      if (!signal.aborted) this.failed(request, legs, { status: undefined, failure: failureOf(error) });
    }
  }

  private failed({ scope, prefiller }: TransferRequest, { onFailure }: ConcurrentLegs, how: StageEnd): void {
    if (isOfWorker(how.status)) onFailure?.();
    const target = hostPortText(prefiller);
    this.logger.warn({ 'x-request-id': scope.id, target, ...how }, 'a prefill beside decode failed');
  }
}

/** A refusal of the request says nothing of its worker; no status at all is a connection or an answer that broke. */
function isOfWorker(status: number | undefined): boolean {
  return status === undefined || status >= 500;
}
