import { Injectable } from '@nestjs/common';
import { UpstreamConnectionError } from '#foundation';
import type { UpstreamAttempt, UpstreamCallInterceptor, UpstreamReply } from '#gateway';
import { isCoded, isEventStream } from '#protocol';
import { BufferedObserver, StreamObserver } from './answer-observer.ts';
import { bodyFailure, callFailure, isMiss, isRejected, statusLabel } from './error-label.ts';
import type { CallFailure } from './error-label.ts';
import type { Part, ProbeResult, Rejection } from './label-values.ts';
import { Metrics } from './metrics.ts';
import { RequestRecords } from './request-record.ts';
import type { AttemptRecord, RequestRecord } from './request-record.ts';

/** The part of the time to first token that a call is. */
const PART_OF = {
  render: 'render',
  'conditional-decode': 'probe',
  encode: 'encode',
  'reserve-endpoint': 'prefill',
  prefill: 'prefill',
  decode: 'decode',
} as const satisfies Record<string, Part>;

type MeasuredUpstream = keyof typeof PART_OF;

/** Times each try of each call, and reads what passes of a decode's answer. */
@Injectable()
export class UpstreamMetrics implements UpstreamCallInterceptor {
  constructor(
    private readonly metrics: Metrics,
    private readonly records: RequestRecords,
  ) {}

  intercept(attempt: UpstreamAttempt, next: () => Promise<UpstreamReply>): Promise<UpstreamReply> {
    const record = this.records.of(attempt.scope);
    const { upstream } = attempt;
    if (record === undefined || upstream === 'passthrough') return next();
    return this.measured(attempt, upstream, record, next);
  }

  private async measured(
    attempt: UpstreamAttempt,
    upstream: MeasuredUpstream,
    record: RequestRecord,
    next: () => Promise<UpstreamReply>,
  ): Promise<UpstreamReply> {
    const { on } = this.metrics;
    const call = new CallMeasure(
      record,
      record.beginAttempt(upstream, attempt.step, attempt.attempt),
      PART_OF[upstream],
      performance.now(),
    );
    on.upstreamRequests.add([upstream]);
    if (upstream === 'encode' && attempt.attempt === 0 && attempt.item?.index === 0) {
      record.encodeWidth = attempt.item.width;
      on.encodeWidth.observe([], attempt.item.width);
    }
    if (upstream === 'decode' && record.handoff !== undefined) {
      on.kvHandoffAge.observe([record.handoff.connector], (call.startedAt - record.handoff.receivedAt) / 1000);
    }
    record.clock.enter(call.part, call.startedAt);
    try {
      const reply = await next();
      this.head(attempt, upstream, call, reply);
      return reply;
    } catch (error) {
      this.broke(attempt, upstream, call, error);
      throw error;
    }
  }

  private head(attempt: UpstreamAttempt, upstream: MeasuredUpstream, call: CallMeasure, reply: UpstreamReply): void {
    const { on } = this.metrics;
    const { record } = call;
    const seconds = call.headSeconds(reply.status);
    on.upstreamDuration.observe([upstream], seconds, record.sampledTraceId);
    const isProbe = upstream === 'conditional-decode';
    if (isRejected(upstream, reply.status)) on.upstreamRejections.add([upstream, rejection(reply.status)]);
    if (isProbe) this.probe(probeResult(reply.status), seconds);
    if (isMiss(upstream, reply.status)) call.leave();
    else if (isProbe || upstream === 'decode') this.observeAnswer(call, reply);
    else this.leaveAtEnd(attempt, call, reply);
    reply.body.observe({
      end: (error) => {
        call.ended(bodyFailure(attempt.signal, reply.status, error));
      },
    });
  }

  /** A phase whose answer is read here is over with its last byte. */
  private leaveAtEnd(attempt: UpstreamAttempt, call: CallMeasure, reply: UpstreamReply): void {
    reply.body.observe({
      end: (error) => {
        call.leave();
        if (attempt.upstream !== 'encode') return;
        const failure = bodyFailure(attempt.signal, reply.status, error);
        this.encoded(call, reply.status === 200 ? failure : statusLabel(reply.status));
      },
    });
  }

  private broke(attempt: UpstreamAttempt, upstream: MeasuredUpstream, call: CallMeasure, error: unknown): void {
    const { on } = this.metrics;
    const failure = callFailure(attempt.signal, error);
    const seconds = call.headSeconds(undefined);
    call.leave();
    call.ended(failure);
    on.upstreamDuration.observe([upstream], seconds);
    if (error instanceof UpstreamConnectionError && error.isRepeatable && attempt.attempt < attempt.retries) {
      on.upstreamRetries.add([upstream, error.reason]);
      return;
    }
    // nothing came of a probe that was given up
    if (upstream === 'conditional-decode' && failure === 'upstream_transport') this.probe('transport_error', seconds);
    if (upstream === 'encode') this.encoded(call, failure);
  }

  private probe(result: ProbeResult, seconds: number): void {
    this.metrics.on.probes.add([result]);
    this.metrics.on.probeDuration.observe([result], seconds);
  }

  private encoded(call: CallMeasure, failure: CallFailure | undefined): void {
    const isCancelled = failure === 'cancelled' || failure === 'client_closed';
    const outcome = failure === undefined ? 'success' : isCancelled ? 'cancelled' : 'error';
    this.metrics.on.encodeDuration.observe([outcome], (performance.now() - call.startedAt) / 1000);
  }

  private observeAnswer({ record }: CallMeasure, reply: UpstreamReply): void {
    if (reply.status >= 400 || isCoded(reply.headers)) return;
    reply.body.observe(
      isEventStream(reply.headers)
        ? new StreamObserver(
            (now) => {
              record.clock.stop(now);
            },
            (facts) => {
              record.answer = facts;
            },
          )
        : new BufferedObserver((facts) => {
            record.answer = facts;
          }),
    );
  }
}

/** One try being measured. */
class CallMeasure {
  private hasLeft = false;

  constructor(
    readonly record: RequestRecord,
    readonly attempt: AttemptRecord,
    readonly part: Part,
    readonly startedAt: number,
  ) {}

  headSeconds(status: number | undefined): number {
    const now = performance.now();
    this.attempt.headAt = this.record.elapsed(now);
    if (status !== undefined) this.attempt.status = status;
    return (now - this.startedAt) / 1000;
  }

  /** The phase's part of the time to first token is over. */
  leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.record.clock.leave(this.part, performance.now());
  }

  ended(failure: CallFailure | undefined): void {
    this.attempt.endedAt = this.record.elapsed();
    if (failure !== undefined) this.attempt.error = failure;
  }
}

function probeResult(status: number): ProbeResult {
  if (status === 412) return 'deferred';
  return status < 400 ? 'served' : 'error';
}

function rejection(status: number): Rejection {
  if (status === 429) return '429';
  if (status === 503) return '503';
  return status < 500 ? 'other_4xx' : 'other_5xx';
}
