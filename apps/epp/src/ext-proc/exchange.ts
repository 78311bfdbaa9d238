import type { ProcessingRequest } from '#ext-proc';
import { SchedulingError } from '#scheduling';
import type { Termination } from '#scheduling';
import { ExchangeScope } from './exchange.scope.ts';
import type { ExchangeParts } from './exchange.scope.ts';
import { droppedMutation } from './header-mutations.ts';
import { RequestPhase } from './request.phase.ts';
import { ResponsePhase } from './response.phase.ts';

const EVICTED = new SchedulingError('ResourceExhausted', 'request evicted by flow control', 'evicted');

/**
 * One HTTP request and its answer as Envoy tells of them, message by message. It knows no transport: it is given messages one after
 * another and sends its own.
 */
export class Exchange {
  private readonly scope: ExchangeScope;
  private readonly request: RequestPhase;
  private readonly response: ResponsePhase;

  constructor(parts: ExchangeParts) {
    this.scope = new ExchangeScope(parts);
    this.request = new RequestPhase(this.scope);
    this.response = new ResponsePhase(this.scope);
  }

  get requestId(): string {
    return this.scope.requestId;
  }

  /**
   * Takes a message; done when it is dealt with, and not to be called before that again.
   * @returns whether the exchange goes on; false when the client was answered by us, and the stream is to be closed
   * @throws Error for a fault of ours
   */
  async receive(message: ProcessingRequest): Promise<boolean> {
    try {
      await this.dispatch(message);
      return !this.scope.isAnswered;
    } catch (error) {
      if (!(error instanceof SchedulingError)) throw error;
      await this.refuse(error, error.body);
      return false;
    }
  }

  /** The stream is over. Where the answer was complete before, that was its end. */
  end(how: Termination): void {
    this.scope.end(how);
  }

  /** Answers the client in the worker's place, unless the answer is complete. @returns whether it did */
  async evict(): Promise<boolean> {
    if (this.scope.isOver) return false;
    this.scope.end('evicted');
    await this.answer(EVICTED, EVICTED.message);
    return true;
  }

  private dispatch(message: ProcessingRequest): Promise<void> {
    const { metadata_context: metadata } = message;
    if (message.request_headers !== undefined) return this.request.headers(message.request_headers, metadata);
    if (message.request_body !== undefined) return this.request.piece(message.request_body, metadata);
    if (message.request_trailers !== undefined) return this.request.trailers(metadata);
    if (message.response_headers !== undefined) return this.response.headers(message.response_headers, metadata);
    if (message.response_body !== undefined) return this.response.piece(message.response_body);
    if (message.response_trailers !== undefined) return this.response.trailers();
    return Promise.resolve();
  }

  private async refuse(error: SchedulingError, body: string): Promise<void> {
    if (this.scope.isOver) return;
    this.scope.parts.observer.refused(error);
    this.scope.end('error');
    await this.answer(error, body);
  }

  private async answer({ status, droppedReason }: SchedulingError, body: string): Promise<void> {
    await this.scope.parts.send({
      immediate_response: {
        status: { code: status },
        ...(droppedReason === undefined ? {} : { headers: droppedMutation(droppedReason) }),
        body: Buffer.from(body),
      },
    });
  }
}
