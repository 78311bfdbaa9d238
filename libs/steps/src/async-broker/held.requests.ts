import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  BROKER_CONFIG,
  BrokerError,
  BrokerObserver,
  RequestStore,
  ResultWait,
  mirrored,
  pendingAnswer,
  readResult,
  refusalAnswer,
} from '#broker';
import type { BrokerAnswer, BrokerConfig, BrokerRefusal, HoldOutcome, RequestKeys } from '#broker';
import { ClientClosedError } from '#foundation';
import type { RequestScope } from '#protocol';

const TOO_LATE: BrokerRefusal = {
  status: 504,
  type: 'timeout_error',
  code: 'DEADLINE_EXCEEDED',
  message: 'the request was not done by its deadline',
};

/** Requests whose clients wait for the result on the connection that they asked on. */
@Injectable()
export class HeldRequests {
  private readonly logger = new Logger('async-broker');

  constructor(
    private readonly store: RequestStore,
    private readonly wait: ResultWait,
    private readonly observer: BrokerObserver,
    @Inject(BROKER_CONFIG) private readonly config: BrokerConfig,
  ) {}

  /**
   * The result, or what is said at the deadline or at `wait_cap_seconds`.
   * @param until the deadline, on the clock of `performance.now()`
   * @throws the reason of the signal; a client that has left takes its request along, one that is turned away for a shutdown does not
   */
  async hold(scope: RequestScope, keys: RequestKeys, until: number): Promise<BrokerAnswer> {
    const over = this.observer.held();
    const left = Math.max(0, until - performance.now());
    const cap = this.config.wait_cap_seconds * 1000;
    const isCapped = cap > 0 && cap < left;
    const end = await this.wait.result(keys, isCapped ? cap : left, scope.signal);
    if (Buffer.isBuffer(end)) {
      over('delivered');
      return this.delivered(scope, keys, end);
    }
    if (end === 'aborted') return this.abandoned(scope, keys, over);
    if (isCapped) {
      over('pending');
      return pendingAnswer(keys.id);
    }
    return this.late(scope, keys, over);
  }

  private async delivered(scope: RequestScope, keys: RequestKeys, result: Buffer): Promise<BrokerAnswer> {
    void scope.delivered?.then((isDelivered) => (isDelivered ? this.remove(keys) : undefined));
    return mirrored(await readResult(result), scope.id);
  }

  /** It may have come since the last look. */
  private async late(
    scope: RequestScope,
    keys: RequestKeys,
    over: (outcome: HoldOutcome) => void,
  ): Promise<BrokerAnswer> {
    const last = await this.store.result(keys).catch(() => undefined);
    over(last === undefined ? 'deadline' : 'delivered');
    return last === undefined ? refusalAnswer(TOO_LATE, scope.id) : this.delivered(scope, keys, last);
  }

  /** Another client here may wait for the same request: it is not cancelled then. */
  private async abandoned(
    scope: RequestScope,
    keys: RequestKeys,
    over: (outcome: HoldOutcome) => void,
  ): Promise<never> {
    const reason: unknown = scope.signal.reason;
    const hasLeft = reason instanceof ClientClosedError;
    over(hasLeft ? 'client_closed' : 'drained');
    if (hasLeft && !this.wait.isAwaited(keys)) await this.cancel(scope, keys);
    throw reason;
  }

  private async cancel(scope: RequestScope, keys: RequestKeys): Promise<void> {
    try {
      await this.observer.around({ scope, operation: 'cancel', trace: scope.trace }, () => this.store.cancel(keys));
    } catch (error) {
      this.tell(error, 'request of a client that has left not cancelled');
    }
  }

  private async remove(keys: RequestKeys): Promise<void> {
    try {
      await this.store.removeResult(keys);
    } catch (error) {
      this.tell(error, 'delivered result not removed');
    }
  }

  private tell(error: unknown, message: string): void {
    if (!(error instanceof BrokerError)) throw error;
    this.logger.warn({ failure: error.failure, detail: error.detail }, message);
  }
}
