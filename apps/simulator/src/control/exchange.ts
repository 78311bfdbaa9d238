import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { breakConnection } from './break-connection.ts';
import type { Fault, Phase } from './fault.schema.ts';
import type { LoggedCall, RequestLog } from './request-log.ts';
import { WireError } from './wire-error.ts';

/** The connection was ended by a fault, or the caller has left: nothing more is to be done. */
export class ExchangeEnded extends Error {
  override readonly name = 'ExchangeEnded';
}

/**
 * One call and its answer, written to the socket directly so that a fault can happen at any byte.
 * Every method rejects with `ExchangeEnded` once the caller has left.
 */
export class Exchange {
  /** Aborts when the caller leaves before the answer is complete. */
  readonly signal: AbortSignal;
  private readonly raw: ServerResponse;
  private readonly left = new AbortController();

  constructor(
    readonly request: FastifyRequest,
    reply: FastifyReply,
    readonly call: LoggedCall & { readonly phase: Phase },
    private readonly log: RequestLog,
    private readonly fault: Fault | undefined,
  ) {
    this.signal = this.left.signal;
    this.raw = reply.raw;
    reply.hijack();
    this.raw.once('close', () => {
      this.left.abort(new ExchangeEnded('the caller left'));
      this.log.finish(call, this.raw.writableFinished ? 'complete' : 'client-closed');
    });
    log.begin(call);
  }

  /** Does the work, answers refusals, and swallows the end of the connection. A fault before the head comes first. */
  async run(work: () => Promise<void>): Promise<void> {
    try {
      if (await this.failedBeforeHead()) return;
      await work();
    } catch (error) {
      if (error instanceof ExchangeEnded || this.signal.aborted) return;
      const refusal = error instanceof WireError ? error : new WireError(String(error), 500);
      this.call.facts['refusal'] = refusal.message;
      if (this.raw.headersSent) this.raw.destroy();
      else await this.json(refusal.status, refusal.body());
    }
  }

  async json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(body));
    this.head(status, { 'content-type': 'application/json', 'content-length': String(bytes.length), ...headers });
    const half = this.failsAfter === undefined ? 0 : bytes.length >> 1;
    if (half > 0) {
      this.raw.write(bytes.subarray(0, half));
      await this.fail();
    }
    this.raw.end(bytes.subarray(half));
  }

  openStream(headers: Readonly<Record<string, string>> = {}): void {
    this.head(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers });
    this.raw.flushHeaders();
  }

  /** Writes one SSE event, which includes its blank line, and waits while the caller does not read. */
  async event(text: string): Promise<void> {
    const rest = this.fault === undefined ? text : await this.faulted(text);
    this.signal.throwIfAborted();
    this.call.firstEventMs ??= Date.now() - this.call.startedAt;
    this.call.events += 1;
    if (!this.raw.write(rest)) await once(this.raw, 'drain', { signal: this.signal }).catch(() => undefined);
    this.signal.throwIfAborted();
  }

  async end(): Promise<void> {
    if (this.failsAfter !== undefined && this.failsAfter >= this.call.events) await this.fail();
    this.raw.end();
  }

  /** Waits, but not longer than the caller stays. Zero lets other calls have their turn. */
  async pause(ms: number): Promise<void> {
    await (ms > 0 ? sleep(ms, undefined, { signal: this.signal }) : turn(undefined, { signal: this.signal })).catch(
      () => {
        throw new ExchangeEnded('the caller left');
      },
    );
  }

  private head(status: number, headers: Readonly<Record<string, string>>): void {
    this.signal.throwIfAborted();
    this.call.status = status;
    this.call.headMs = Date.now() - this.call.startedAt;
    this.raw.writeHead(status, { ...requestIdHeader(this.call.requestId), ...headers });
  }

  /** True when the fault took the place of an answer. */
  private async failedBeforeHead(): Promise<boolean> {
    const { fault } = this;
    if (fault === undefined) return false;
    this.call.facts['fault'] = fault.kind;
    if (fault.kind === 'slow') {
      await this.pause(fault.delay_ms ?? 0);
    } else if (fault.kind === 'status') {
      await this.pause(fault.delay_ms ?? 0);
      const body = fault.body ?? new WireError(`simulated failure of ${this.call.phase}`, fault.status).body();
      await this.json(fault.status, body, fault.headers);
      return true;
    } else if (fault.after_events === undefined) {
      await this.fail();
    }
    return false;
  }

  /** Lets the fault happen if this event is its turn; what is left to write of the event. */
  private async faulted(event: string): Promise<string> {
    if (this.fault?.kind === 'slow') await this.pause(this.fault.delay_ms ?? 0);
    if (this.failsAfter !== this.call.events) return event;
    const sent = this.fault?.mid_event === true ? event.length >> 1 : 0;
    this.raw.write(event.slice(0, sent));
    await this.fail();
    return event.slice(sent);
  }

  /** Events after which the connection stalls or ends; undefined when that is not to happen after the head. */
  private get failsAfter(): number | undefined {
    const { fault } = this;
    return fault === undefined || fault.kind === 'slow' || fault.kind === 'status' ? undefined : fault.after_events;
  }

  /** Stalls, cuts or resets, whatever has been sent so far. Returns only from a stall that has an end. */
  private async fail(): Promise<void> {
    const { kind, delay_ms: delayMs } = this.fault ?? { kind: 'cut', delay_ms: undefined };
    if (kind === 'stall' && delayMs === undefined) await this.untilLeft();
    if (delayMs !== undefined) await this.pause(delayMs);
    if (kind === 'stall') return;
    this.log.finish(this.call, 'failed');
    await breakConnection(this.raw, kind === 'reset' ? 'reset' : 'cut');
    throw new ExchangeEnded(`ended by a ${kind}`);
  }

  private async untilLeft(): Promise<never> {
    if (!this.signal.aborted) await once(this.signal, 'abort');
    throw new ExchangeEnded('the caller left');
  }
}

function requestIdHeader(requestId: string | undefined): Record<string, string> {
  return requestId === undefined ? {} : { 'x-request-id': requestId };
}
