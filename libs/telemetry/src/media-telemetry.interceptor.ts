import { SpanKind } from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import { Injectable, Logger } from '@nestjs/common';
import type { Interceptor } from '#foundation';
import { ATTRIBUTES } from './attributes.ts';
import { errorLabel } from './error-label.ts';
import { Metrics } from './metrics.ts';
import { requestContext } from './request-context.ts';
import type { AttemptRecord, RequestRecord } from './request-record.ts';
import { Tracing, failSpan } from './tracing.ts';

/** A download, as far as it is told here; `steps` has the whole type. */
interface MediaCall {
  readonly modality: string;
  readonly index: number;
  readonly host: string;
  /** Without query, which may be a signature. */
  readonly path: string;
}

interface MediaDownload {
  readonly bytes: Buffer;
}

/** Around each media download: a span, its time and size, a line at level 4. */
@Injectable()
export class MediaTelemetry<Download extends MediaDownload> implements Interceptor<MediaCall, Download> {
  private readonly logger = new Logger('replace-media-urls');
  /** A failure ends the downloads beside it with the same error. */
  private readonly failures = new WeakSet();

  constructor(
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
  ) {}

  async intercept(call: MediaCall, next: () => Promise<Download>): Promise<Download> {
    const record = requestContext.getStore();
    const startedAt = performance.now();
    const attempt = record?.beginAttempt('media', `media[${call.index}]`, 0);
    const started: Started = { call, record, attempt, startedAt, span: this.span(call, record) };
    record?.clock.enter('media', startedAt);
    try {
      const download = await next();
      this.metrics.on.mediaBytes.observe([call.modality], download.bytes.length);
      started.span?.setAttributes({ [ATTRIBUTES.status]: 200, [ATTRIBUTES.mediaBytes]: download.bytes.length });
      this.ended(started, { result: 'success', reason: '' });
      return download;
    } catch (error) {
      this.ended(started, this.failureOf(error));
      throw error;
    }
  }

  private span(call: MediaCall, record: RequestRecord | undefined): Span | undefined {
    const spans = record?.trace;
    if (spans?.server === undefined) return undefined;
    return this.tracing.span('media', SpanKind.CLIENT, spans.stepContext ?? spans.serverContext, {
      [ATTRIBUTES.phase]: 'media',
      [ATTRIBUTES.mediaType]: call.modality,
      [ATTRIBUTES.mediaIndex]: call.index,
      [ATTRIBUTES.path]: call.path,
      ...serverOf(call.host),
    });
  }

  private failureOf(error: unknown): Ending {
    const label = errorLabel(error);
    if (label === 'client_closed') return { result: 'cancelled', reason: label };
    if (!(error instanceof Error)) return { result: 'error', reason: label };
    if (this.failures.has(error)) return { result: 'cancelled', reason: 'cancelled' };
    this.failures.add(error);
    return { result: 'error', reason: failureReason(error), status: statusOf(error) };
  }

  private ended({ call, record, attempt, startedAt, span }: Started, { result, reason, status }: Ending): void {
    const now = performance.now();
    record?.clock.leave('media', now);
    this.metrics.on.mediaDuration.observe([result], (now - startedAt) / 1000);
    if (attempt !== undefined) attempt.endedAt = record?.elapsed(now) ?? 0;
    if (result !== 'success') {
      if (status !== undefined) span?.setAttribute(ATTRIBUTES.status, status);
      failSpan(span, reason);
      if (attempt !== undefined) attempt.error = reason;
    }
    span?.end();
    this.logger.debug({ modality: call.modality, item: call.index, result, reason }, 'media download');
  }
}

/** A download that runs. */
interface Started {
  readonly call: MediaCall;
  readonly record: RequestRecord | undefined;
  readonly attempt: AttemptRecord | undefined;
  readonly startedAt: number;
  readonly span: Span | undefined;
}

/** How it went. */
interface Ending {
  readonly result: 'success' | 'cancelled' | 'error';
  readonly reason: string;
  /** What the origin answered, where that was the reason. */
  readonly status?: number | undefined;
}

function statusOf({ cause }: Error): number | undefined {
  const status = typeof cause === 'object' && cause !== null && 'status' in cause ? cause.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** The step's own word for why, which the client is not told. */
function failureReason(error: Error): string {
  const { cause } = error;
  const reason = typeof cause === 'object' && cause !== null && 'reason' in cause ? cause.reason : undefined;
  return typeof reason === 'string' ? reason : errorLabel(error);
}

function serverOf(host: string): Attributes {
  const [, address = host, port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return {
    [ATTRIBUTES.serverAddress]: address,
    ...(port === undefined ? {} : { [ATTRIBUTES.serverPort]: Number(port) }),
  };
}
