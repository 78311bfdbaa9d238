import { EventEmitter } from 'node:events';
import type { Phase } from './fault.schema.ts';

/** `client`: a request as it entered at the gateway. `media`: a download. `other`: the list of models. */
export type LoggedPhase = Phase | 'client' | 'media' | 'other';

/** One call as the server saw it. Times are milliseconds; what is still to come is undefined. */
export interface LoggedCall {
  readonly server: string;
  readonly phase: LoggedPhase;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** From the request; the gateway takes the answer's where there is one. */
  requestId: string | undefined;
  readonly startedAt: number;
  /** What was read from the body: `model`, `tokens`, `cached`, … */
  readonly facts: Record<string, unknown>;
  /** The parsed body, for the latest calls with a body of moderate size. */
  body: unknown;
  status: number | undefined;
  /** When the answer's head went out. */
  headMs: number | undefined;
  /** When the first SSE event went out. */
  firstEventMs: number | undefined;
  durationMs: number | undefined;
  /** SSE events sent. */
  events: number;
  /** `client-closed`: the caller left first. `failed`: a fault or a broken upstream ended it. */
  outcome: 'complete' | 'client-closed' | 'failed' | undefined;
}

const KEPT_CALLS = 2000;
const KEPT_BODIES = 200;

/** The latest calls to all servers of a cluster, in the order in which they came in. */
export class RequestLog {
  private readonly calls: LoggedCall[] = [];
  private readonly finished = new EventEmitter<{ call: [LoggedCall] }>();

  constructor() {
    this.finished.setMaxListeners(0);
  }

  begin(call: LoggedCall): void {
    this.calls.push(call);
    if (this.calls.length > KEPT_CALLS) this.calls.shift();
    const old = this.calls.at(-KEPT_BODIES - 1);
    if (old !== undefined) old.body = undefined;
  }

  finish(call: LoggedCall, outcome: NonNullable<LoggedCall['outcome']>): void {
    if (call.outcome !== undefined) return;
    call.durationMs = Date.now() - call.startedAt;
    call.outcome = outcome;
    this.finished.emit('call', call);
  }

  /** Adds a call that has ended elsewhere, and was told of then. */
  record(call: LoggedCall): void {
    this.begin(call);
    this.finished.emit('call', call);
  }

  all(): readonly LoggedCall[] {
    return this.calls;
  }

  /** All calls with this `x-request-id`, in order of arrival. */
  of(requestId: string): LoggedCall[] {
    return this.calls.filter((call) => call.requestId === requestId);
  }

  phase(phase: LoggedPhase): LoggedCall[] {
    return this.calls.filter((call) => call.phase === phase);
  }

  /** Forgets everything, for the next test. */
  clear(): void {
    this.calls.length = 0;
  }

  /** Calls `listener` for every call that ends from here on; the function returned stops that. */
  onFinished(listener: (call: LoggedCall) => void): () => void {
    this.finished.on('call', listener);
    return () => this.finished.off('call', listener);
  }

  /** The first call, past or future, that has ended and matches. @throws Error after `timeoutMs` */
  async waitFor(matches: (call: LoggedCall) => boolean, timeoutMs = 5000): Promise<LoggedCall> {
    const past = this.calls.find((call) => call.outcome !== undefined && matches(call));
    if (past !== undefined) return past;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`no such call ended within ${timeoutMs} ms`));
      }, timeoutMs);
      const stop = this.onFinished((call) => {
        if (!matches(call)) return;
        clearTimeout(timer);
        stop();
        resolve(call);
      });
    });
  }
}
