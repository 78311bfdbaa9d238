import type { ServerResponse } from 'node:http';
import { ClientClosedError, DrainingError, InternalError, UpstreamError, errorBody, errorResponse } from '#foundation';
import type { CoordinatorError, ErrorResponse, InFlight, Lifecycle } from '#foundation';
import { joinRope } from '#json';
import type { ClientResponse, ReplyEnd, ReplyFacts } from '#pipeline';
import { HEADER, SseBoundary, isCoded, isEventStream } from '#protocol';
import type { ByteSink } from '#protocol';
import { answerHeaders } from './answer-headers.ts';
import { BodyWriter } from './body-writer.ts';
import { Heartbeat } from './heartbeat.ts';
import { WriteGuard } from './write-guard.ts';
import type { WriteLimits } from './write-guard.ts';

/** Milliseconds that a last event may take to leave before the connection is cut. */
const LAST_WORDS = 1_000;
const PING = Buffer.from(': ping\n');

/**
 * The reply to one client: the only writer of its bytes. It relays with back-pressure, tells when the client has left, and
 * ends what cannot be completed so that no client takes it for complete (`decisions.md` P9 to P12).
 */
export class ClientReply implements InFlight, ByteSink {
  private readonly aborter = new AbortController();
  private readonly boundary = new SseBoundary();
  private readonly writer: BodyWriter;
  private readonly guard: WriteGuard;
  private heartbeat: Heartbeat | undefined;
  private isStream = false;
  /** Whether what is sent can be added to: pings, a last event. */
  private isOpen = false;
  private isFailing = false;
  private bytes = 0;
  private ended: ReplyEnd | undefined;
  private readonly whenEnded = Promise.withResolvers<ReplyEnd>();

  constructor(
    private readonly response: ServerResponse,
    readonly requestId: string,
    private readonly lifecycle: Lifecycle,
    limits: WriteLimits,
    /** What a client is told of an error that comes before any answer. */
    private readonly refusal: (error: CoordinatorError, requestId: string) => ErrorResponse = errorResponse,
  ) {
    this.writer = new BodyWriter(response);
    this.guard = new WriteGuard(response, limits, () => {
      this.cut('stalled', new ClientClosedError());
    });
    lifecycle.begin(this);
    response.once('close', this.onClose);
  }

  /** Aborts when nobody waits for the answer any more. */
  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** Settles when the last byte has left, or the connection is gone. */
  get end(): Promise<ReplyEnd> {
    return this.whenEnded.promise;
  }

  /** What became of the reply; to be asked for when it has ended. */
  get facts(): ReplyFacts {
    const status = this.response.headersSent ? this.response.statusCode : undefined;
    return { end: this.ended ?? 'client_closed', status, bytes: this.bytes, isStream: this.isStream };
  }

  /** From now on a silence is filled with comment lines; the first one sends the head. @param interval milliseconds, 0 for none */
  keepAlive(interval: number): void {
    if (interval === 0 || this.ended !== undefined) return;
    this.heartbeat = new Heartbeat(interval, () => {
      if (!this.response.headersSent) this.writeStreamHead();
      if (this.boundary.isBetweenEvents && !this.writer.needsDrain) this.writer.write(PING);
    });
  }

  /** Sends the answer, its body as it arrives. @throws CoordinatorError when the upstream broke off; `fail` ends the reply then */
  async send(answer: ClientResponse): Promise<void> {
    const { body, status } = answer;
    if (this.ended !== undefined) {
      // the client left while the answer was made: the limits of writing it would outlive the reply
      if ('pipe' in body) body.discard();
      return;
    }
    if (this.response.headersSent) return this.continueStream(answer);
    this.writeHead(status, answerHeaders(answer.headers, this.requestId));
    if (!('pipe' in body)) {
      const whole = joinRope(body);
      this.bytes = whole.length;
      this.response.end(whole);
    } else {
      this.flushHeadSoon();
      await body.pipe(this);
      this.response.end();
    }
    this.guard.ending();
    this.heartbeat?.stop();
  }

  /** Ends the reply with an error: as an answer of its own, as the last event of a stream, or by cutting the connection. */
  fail(error: CoordinatorError): void {
    if (this.ended !== undefined || this.isFailing) return;
    this.isFailing = true;
    this.heartbeat?.stop();
    if (error instanceof ClientClosedError) return this.cut('client_closed', error);
    if (!this.response.headersSent) return this.answerError(error);
    this.breakStream(error);
  }

  breakOff(): void {
    const error = new DrainingError();
    this.fail(error);
    this.aborter.abort(error);
  }

  /** For the answer's body: the next bytes. */
  write(chunk: Buffer, resume: () => void): boolean {
    if (this.ended !== undefined) return false;
    if (this.isOpen) this.boundary.push(chunk);
    this.heartbeat?.defer();
    this.bytes += chunk.length;
    if (this.writer.write(chunk)) return true;
    this.guard.stalled();
    this.writer.onDrain(() => {
      this.guard.taken();
      resume();
    });
    return false;
  }

  private async continueStream({ status, headers, body }: ClientResponse): Promise<void> {
    if (status !== 200 || !isEventStream(headers) || isCoded(headers) || !('pipe' in body)) {
      if ('pipe' in body) body.discard();
      this.fail(status === 200 ? new InternalError(new Error('no stream')) : new UpstreamError('decode', status));
      return;
    }
    await body.pipe(this);
    this.heartbeat?.stop();
    this.response.end();
    this.guard.ending();
  }

  private writeStreamHead(): void {
    const type = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
    this.writeHead(200, { ...type, [HEADER.requestId]: this.requestId });
  }

  private writeHead(status: number, headers: Record<string, string | string[]>): void {
    if (this.lifecycle.isClosing) headers['connection'] = 'close';
    this.isStream = isEventStream(headers);
    this.isOpen = this.isStream && !isCoded(headers) && headers['content-length'] === undefined;
    if (!this.isOpen) this.heartbeat?.stop();
    this.guard.begin(this.isStream);
    this.response.writeHead(status, headers);
  }

  /** The head leaves with the first bytes where they came together, else alone. */
  private flushHeadSoon(): void {
    process.nextTick(() => {
      this.writer.flushHead();
    });
  }

  private answerError(error: CoordinatorError): void {
    const { status, headers, body } = this.refusal(error, this.requestId);
    this.bytes = Buffer.byteLength(body);
    const length = String(this.bytes);
    this.writeHead(status, { ...headers, [HEADER.requestId]: this.requestId, 'content-length': length });
    this.response.end(body);
    this.guard.ending();
  }

  private breakStream(error: CoordinatorError): void {
    const end = error instanceof DrainingError ? 'drained' : 'upstream_reset';
    if (!this.isOpen || !this.boundary.isBetweenEvents) return this.cut(end, error);
    const cut = (): void => {
      clearTimeout(timer);
      this.cut(end, error);
    };
    const timer = setTimeout(cut, LAST_WORDS);
    this.response.write(`data: ${errorBody(error, this.requestId)}\n\n`, cut);
  }

  private cut(end: ReplyEnd, reason: CoordinatorError): void {
    this.finish(end);
    this.aborter.abort(reason);
    this.response.destroy();
  }

  private readonly onClose = (): void => {
    if (this.response.writableFinished) return this.finish('completed');
    this.finish('client_closed');
    this.aborter.abort(new ClientClosedError());
  };

  private finish(end: ReplyEnd): void {
    if (this.ended !== undefined) return;
    this.ended = end;
    this.heartbeat?.stop();
    this.guard.stop();
    this.lifecycle.end(this);
    this.whenEnded.resolve(end);
  }
}
