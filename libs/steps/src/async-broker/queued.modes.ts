import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  BROKER_CONFIG,
  BrokerError,
  BrokerKeys,
  BrokerObserver,
  RequestStore,
  isCancelled,
  pendingAnswer,
  readResult,
  refusalAnswer,
} from '#broker';
import type { BrokerAnswer, BrokerCall, BrokerConfig, BrokerRefusal, RequestKeys, SubmissionOutcome } from '#broker';
import type { PipelineRequest } from '#pipeline';
import type { RequestScope } from '#protocol';
import { HeldRequests } from './held.requests.ts';
import { queuedTimeout } from './queued-timeout.ts';
import { submissionOf } from './submission.ts';

/** The modes that leave a request to the async processor. */
export type QueuedMode = 'enqueue' | 'wait';

/** What is known of an id before it is queued: it names a request that counts, one that was cancelled, or none. */
type Earlier = 'counts' | 'cancelled' | 'none';

const NOT_QUEUED: BrokerRefusal = {
  status: 503,
  type: 'api_error',
  code: 'ENQUEUE_FAILED',
  message: 'the request could not be queued',
};

/** Queues requests, and holds those that wait. A request whose id is known is not queued a second time. */
@Injectable()
export class QueuedModes {
  private readonly logger = new Logger('async-broker');

  constructor(
    private readonly store: RequestStore,
    private readonly keys: BrokerKeys,
    private readonly held: HeldRequests,
    private readonly observer: BrokerObserver,
    @Inject(BROKER_CONFIG) private readonly config: BrokerConfig,
  ) {}

  /** @throws the reason of the request's signal, when the client leaves while it waits */
  async answer(request: PipelineRequest, mode: QueuedMode, tenant: string): Promise<BrokerAnswer> {
    const { scope } = request;
    const keys = this.keys.of(tenant, scope.id);
    const seconds = queuedTimeout(request, mode, this.config);
    const until = performance.now() + seconds * 1000;
    const outcome = await this.ensureQueued(request, keys, seconds);
    this.observer.submitted(mode, outcome);
    if (outcome === 'failed') return refusalAnswer(NOT_QUEUED, scope.id);
    return mode === 'enqueue' ? pendingAnswer(scope.id) : this.held.hold(scope, keys, until);
  }

  private async ensureQueued(
    request: PipelineRequest,
    keys: RequestKeys,
    seconds: number,
  ): Promise<Extract<SubmissionOutcome, 'queued' | 'reattached' | 'failed'>> {
    const { scope } = request;
    try {
      const earlier = scope.hasOwnId === true ? await this.earlier(scope, keys) : 'none';
      if (earlier === 'counts') return 'reattached';
      if (await this.submit(request, keys, { seconds, replaces: earlier === 'cancelled' })) return 'queued';
      // one of this id was faster, or was there when the look at it failed
      await this.store.uncancel(keys);
      return 'reattached';
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      this.logger.warn({ failure: error.failure, detail: error.detail }, 'request not queued');
      return 'failed';
    }
  }

  /** An error is no answer: the request is then taken for new, and marks that are there keep it from being queued twice. */
  private async earlier(scope: RequestScope, keys: RequestKeys): Promise<Earlier> {
    try {
      return await this.observer.around({ scope, operation: 'lookup', trace: scope.trace }, async () => {
        const state = await this.store.lookup(keys);
        if (state.kind === 'unknown') return 'none';
        if (state.kind === 'pending') {
          await this.store.uncancel(keys);
          return 'counts';
        }
        if (!isCancelled(await readResult(state.result))) return 'counts';
        await this.store.removeResult(keys);
        return 'cancelled';
      });
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      this.logger.warn({ failure: error.failure, detail: error.detail }, 'earlier request not looked up');
      return 'none';
    }
  }

  private submit(
    request: PipelineRequest,
    keys: RequestKeys,
    terms: { readonly seconds: number; readonly replaces: boolean },
  ): Promise<boolean> {
    const { scope } = request;
    const call: BrokerCall = { scope, operation: 'enqueue', trace: scope.trace };
    return this.observer.around(call, () =>
      this.store.submit(submissionOf(request, keys, this.config, { ...terms, traceparent: call.trace.traceparent })),
    );
  }
}
