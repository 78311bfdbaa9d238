import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  BROKER_CONFIG,
  BrokerError,
  BrokerObserver,
  RequestStore,
  mirrored,
  pendingAnswer,
  readResult,
  refusalAnswer,
} from '#broker';
import type { BrokerAnswer, BrokerConfig, BrokerRefusal, RequestKeys } from '#broker';
import type { RequestScope } from '#protocol';

/** What a fetch is answered with. */
export interface Fetched {
  readonly answer: BrokerAnswer;
  /** Whether it is the result of the request. */
  readonly isResult: boolean;
}

const UNKNOWN: BrokerRefusal = {
  status: 410,
  type: 'invalid_request_error',
  code: 'UNKNOWN_REQUEST',
  message: 'no such request of this tenant, or its result is gone',
};
const LOOKUP_FAILED: BrokerRefusal = {
  status: 500,
  type: 'api_error',
  code: 'LOOKUP_FAILED',
  message: 'the request could not be looked up',
};
const DELETE_FAILED: BrokerRefusal = {
  status: 500,
  type: 'api_error',
  code: 'DELETE_FAILED',
  message: 'the request could not be deleted',
};

/** What the routes of queued requests do at Redis. Nothing here throws for want of Redis. */
@Injectable()
export class QueuedResults {
  private readonly logger = new Logger('async-broker');

  constructor(
    private readonly store: RequestStore,
    private readonly observer: BrokerObserver,
    @Inject(BROKER_CONFIG) private readonly config: BrokerConfig,
  ) {}

  async fetch(scope: RequestScope, keys: RequestKeys): Promise<Fetched> {
    try {
      const state = await this.observer.around({ scope, operation: 'lookup', trace: scope.trace }, () =>
        this.store.lookup(keys),
      );
      switch (state.kind) {
        case 'ready':
          return { answer: await mirrored(await readResult(state.result), scope.id), isResult: true };
        case 'pending':
          return { answer: pendingAnswer(keys.id), isResult: false };
        case 'unknown':
          return { answer: refusalAnswer(UNKNOWN, scope.id), isResult: false };
      }
    } catch (error) {
      this.tell(error, 'queued request not looked up');
      return { answer: refusalAnswer(LOOKUP_FAILED, scope.id), isResult: false };
    }
  }

  /** Cancels the request as far as that can be done, and removes its result. */
  async remove(scope: RequestScope, keys: RequestKeys): Promise<BrokerAnswer> {
    try {
      await this.observer.around({ scope, operation: 'cancel', trace: scope.trace }, () => this.store.cancel(keys));
    } catch (error) {
      this.tell(error, 'queued request not cancelled');
    }
    try {
      await this.store.removeResult(keys);
      return { status: 204, headers: {}, body: [] };
    } catch (error) {
      this.tell(error, 'result not deleted');
      return refusalAnswer(DELETE_FAILED, scope.id);
    }
  }

  /** The client has the result: it stays for `fetch_grace_seconds`, should the client ask again. */
  async shorten(keys: RequestKeys): Promise<void> {
    try {
      await this.store.keepResult(keys, this.config.fetch_grace_seconds);
    } catch (error) {
      this.tell(error, 'fetched result keeps its time');
    }
  }

  private tell(error: unknown, message: string): void {
    if (!(error instanceof BrokerError)) throw error;
    this.logger.warn({ failure: error.failure, detail: error.detail }, message);
  }
}
