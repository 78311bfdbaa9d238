import type { ProcessingResponse } from '#ext-proc';
import type { Decision, Director, ExchangeObserver, Termination } from '#scheduling';

/** What exchanges do as the command line says. */
export interface ExchangeOptions {
  /** Whether a subset hint narrows the endpoints. */
  readonly heedsSubset: boolean;
  /** Whether the scores of endpoints go into the metadata. */
  readonly emitsScores: boolean;
}

/** Sends a message; done when there is room for another. */
export type Send = (message: ProcessingResponse) => Promise<void> | void;

export interface ExchangeParts {
  readonly director: Director;
  readonly observer: ExchangeObserver;
  readonly options: ExchangeOptions;
  readonly send: Send;
}

/** What the two directions of an exchange share, and its end, of which the director and the observer hear once. */
export class ExchangeScope {
  private readonly gone = new AbortController();
  private chosen: Decision | undefined;
  private how: Termination | undefined;
  private answered = false;

  /** Empty until headers came. */
  requestId = '';

  constructor(readonly parts: ExchangeParts) {}

  get decision(): Decision | undefined {
    return this.chosen;
  }

  get isOver(): boolean {
    return this.how !== undefined;
  }

  /** Whether the client was given an answer that is no refusal, in the worker's place. */
  get isAnswered(): boolean {
    return this.answered;
  }

  /** Aborted at the end. */
  get signal(): AbortSignal {
    return this.gone.signal;
  }

  /** @returns whether there is still somebody to send it for */
  decide(decision: Decision): boolean {
    if (this.how !== undefined) {
      this.parts.director.ended(decision, this.how);
      return false;
    }
    this.chosen = decision;
    this.parts.observer.scheduled(decision);
    return true;
  }

  /** Ends the exchange with the endpoint for its answer. @returns whether there is still somebody to tell it to */
  reserve(decision: Decision): boolean {
    if (this.how !== undefined) return false;
    this.answered = true;
    this.parts.observer.reserved(decision);
    this.end('natural');
    return true;
  }

  /** Ends the exchange; a later end does not count. */
  end(how: Termination): void {
    if (this.how !== undefined) return;
    this.how = how;
    this.gone.abort();
    if (this.chosen !== undefined) this.parts.director.ended(this.chosen, how);
    this.parts.observer.ended(how);
  }
}
