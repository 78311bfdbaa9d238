import { setImmediate as nextTurn } from 'node:timers/promises';
import { CoordinatorError, UpstreamConnectionError, UpstreamTimeoutError } from '#foundation';
import { cutRope, joinRope, packRope, ropeLength } from '#json';
import type { Rope } from '#json';
import { HEADER } from '#protocol';
import type { Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { ReplyBody } from './reply-body.ts';
import type { UpstreamAttempt, UpstreamReply } from './upstream-call.ts';

/** What is together no larger than this is joined: one write of a few pages costs less than several small ones. */
const JOINED = 64 * 1024;
/** The system takes what it is given as long as the peer reads, and nothing else runs meanwhile; a megabyte is about a millisecond. */
const WRITTEN = 1024 * 1024;

/**
 * One try of a call on one connection: sends it, hands the answer's head over as soon as it is there and its body as it comes.
 * Time limits and cancellation close the connection, which no other call shares.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  private body: ReplyBody | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isDone = false;
  private resolve: (reply: UpstreamReply) => void = () => undefined;
  private reject: (error: Error) => void = () => undefined;

  private constructor(
    private readonly attempt: UpstreamAttempt,
    private readonly pool: ConnectionPool,
    private readonly connection: Connection,
    private readonly origin: string,
  ) {}

  /**
   * @throws UpstreamConnectionError, UpstreamTimeoutError, or the reason of the signal
   */
  static async send(attempt: UpstreamAttempt, pool: ConnectionPool): Promise<UpstreamReply> {
    // an interceptor may have let time pass
    attempt.signal.throwIfAborted();
    const { origin } = originOf(attempt.base);
    const exchange = new Exchange(attempt, pool, pool.acquire(origin, attempt.attempt > 0), origin);
    return new Promise((resolve, reject) => {
      exchange.resolve = resolve;
      exchange.reject = reject;
      exchange.start();
    });
  }

  private start(): void {
    const { attempt } = this;
    const { headDeadline } = attempt;
    attempt.signal.addEventListener('abort', this.onAbort);
    if (headDeadline !== undefined) this.limit(headDeadline - performance.now(), attempt.headLimit.setting);
    try {
      this.connection.client.dispatch(this.request(), this);
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private request(): Dispatcher.DispatchOptions {
    const { method, body, base, path } = this.attempt;
    const headers = [...this.attempt.headers];
    for (const name of [HEADER.traceparent, HEADER.tracestate, HEADER.baggage] as const) {
      const value = this.attempt.trace[name];
      if (value !== undefined) headers.push(name, value);
    }
    const sent = body === undefined || !Array.isArray(body) ? body : this.rope(body as Rope, headers);
    const options = { method, path: originOf(base).prefix + path, headers };
    // undici takes any iterable of buffers as a body, its types name streams only
    return { ...options, ...(sent === undefined ? {} : { body: sent as Buffer }) };
  }

  private rope(body: Rope, headers: string[]): Buffer | Rope | AsyncIterable<Buffer> {
    const length = ropeLength(body);
    headers.push('content-length', String(length));
    const packed = packRope(body, JOINED);
    if (length > WRITTEN) return turnByTurn(cutRope(packed, WRITTEN));
    return packed.length === 1 ? joinRope(packed) : packed;
  }

  /** Undici takes no handler without it. */
  onRequestStart(): void {}

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.stopHeadLimit();
    const length = Number(headers['content-length']);
    const source = {
      pause: (): void => {
        controller.pause();
        this.stopHeadLimit();
      },
      resume: (): void => {
        this.limitIdle();
        controller.resume();
      },
      abort: (reason: Error): void => {
        this.fail(reason);
      },
    };
    this.body = new ReplyBody(source, this.attempt.step, Number.isSafeInteger(length) ? length : undefined);
    this.limitIdle();
    this.resolve({ status, headers, body: this.body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.limitIdle();
    this.body?.push(chunk);
  }

  onResponseEnd(): void {
    this.finish();
    this.pool.release(this.origin, this.connection, this.attempt.maxIdle);
    this.body?.end(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // a body that arrives while it is sent says itself what is wrong with it
    if (error instanceof CoordinatorError) return this.fail(error);
    const { connection, attempt } = this;
    const reason = connection.isConnected ? 'reset' : 'refused';
    const untouched = reason === 'refused' ? isRefusal(error) : connection.isReused && !connection.hasReceived;
    const isRepeatable = untouched && this.body === undefined && isRepeatableBody(attempt.body);
    this.fail(new UpstreamConnectionError(attempt.step, reason, isRepeatable, error));
  }

  private readonly onAbort = (): void => {
    const reason: unknown = this.attempt.signal.reason;
    this.fail(reason instanceof Error ? reason : new Error('aborted', { cause: reason }));
  };

  private fail(error: Error): void {
    if (this.isDone) return;
    this.finish();
    this.pool.drop(this.connection, error);
    if (this.body === undefined) this.reject(error);
    else this.body.end(error);
  }

  private finish(): void {
    this.isDone = true;
    this.clearTimer();
    this.attempt.signal.removeEventListener('abort', this.onAbort);
  }

  private stopHeadLimit(): void {
    if (this.attempt.idleLimit !== 'whole') this.clearTimer();
  }

  private limitIdle(): void {
    if (this.attempt.idleLimit === 'whole') return;
    const { ms, setting } = this.attempt.idleLimit;
    if (ms > 0 && this.timer !== undefined) this.timer.refresh();
    else if (ms > 0) this.limit(ms, setting);
  }

  private limit(ms: number, setting: string): void {
    this.timer = setTimeout(
      () => {
        this.fail(new UpstreamTimeoutError(this.attempt.step, setting));
      },
      Math.max(0, ms),
    );
  }

  private clearTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

/** The parts, others having their turn between two of them. */
async function* turnByTurn(rope: Rope): AsyncGenerator<Buffer> {
  for (const part of rope) {
    yield part;
    await nextTurn();
  }
}

interface Origin {
  readonly origin: string;
  readonly prefix: string;
}

/** A coordinator has a handful; a sidecar is told by requests whom to call. */
const MAX_ORIGINS = 1024;
const origins = new Map<string, Origin>();

function originOf(base: string): Origin {
  const known = origins.get(base);
  if (known !== undefined) return known;
  const { origin, pathname } = new URL(base);
  const parsed = { origin, prefix: pathname === '/' ? '' : pathname };
  if (origins.size >= MAX_ORIGINS) origins.clear();
  origins.set(base, parsed);
  return parsed;
}

/** Only a refusal says that nothing was done; a name that does not resolve will not do so at once either. */
function isRefusal(error: Error): boolean {
  return 'code' in error && error.code === 'ECONNREFUSED';
}

function isRepeatableBody(body: UpstreamAttempt['body']): boolean {
  return body === undefined || Array.isArray(body);
}
