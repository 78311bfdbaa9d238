import { SpanKind } from '@opentelemetry/api';
import { Injectable, Logger } from '@nestjs/common';
import type { Interceptor } from '#foundation';
import { ATTRIBUTES } from './attributes.ts';
import { errorLabel } from './error-label.ts';
import { Metrics } from './metrics.ts';
import { requestContext } from './request-context.ts';
import { Tracing, failSpan } from './tracing.ts';

/** A download, as far as it is told here; `steps` has the whole type. */
interface MediaCall {
  readonly modality: string;
  readonly index: number;
  /** Host and port alone: paths and queries may be signed. */
  readonly host: string;
}

interface MediaDownload {
  readonly bytes: Buffer;
}

/** Around each media download: a span, its time and size, a line at level 4. */
@Injectable()
export class MediaTelemetry<Download extends MediaDownload> implements Interceptor<MediaCall, Download> {
  private readonly logger = new Logger('replace-media-urls');

  constructor(
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
  ) {}

  async intercept(call: MediaCall, next: () => Promise<Download>): Promise<Download> {
    const record = requestContext.getStore();
    const startedAt = performance.now();
    const spans = record?.trace;
    const span =
      spans?.server &&
      this.tracing.span('media', SpanKind.CLIENT, spans.stepContext ?? spans.serverContext, {
        [ATTRIBUTES.phase]: 'media',
        [ATTRIBUTES.mediaType]: call.modality,
        [ATTRIBUTES.mediaIndex]: call.index,
        [ATTRIBUTES.serverAddress]: call.host,
      });
    const attempt = record?.beginAttempt('media', `media[${call.index}]`, 0);
    record?.clock.enter('media', startedAt);
    let failure: unknown;
    try {
      const download = await next();
      this.metrics.on.mediaBytes.observe([call.modality], download.bytes.length);
      span?.setAttribute(ATTRIBUTES.mediaBytes, download.bytes.length);
      return download;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const now = performance.now();
      record?.clock.leave(now);
      const result = failure === undefined ? 'success' : errorLabel(failure) === 'client_closed' ? 'cancelled' : 'error';
      this.metrics.on.mediaDuration.observe([result], (now - startedAt) / 1000);
      if (attempt !== undefined) attempt.endedAt = record?.elapsed(now) ?? 0;
      if (failure !== undefined) {
        failSpan(span, failureReason(failure));
        if (attempt !== undefined) attempt.error = failureReason(failure);
      }
      span?.end();
      this.logger.debug({ modality: call.modality, item: call.index, result, reason: failureReason(failure) }, 'media download');
    }
  }
}

/** The step's own word for why, which the client is not told. */
function failureReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const reason = typeof cause === 'object' && cause !== null && 'reason' in cause ? cause.reason : undefined;
  return typeof reason === 'string' ? reason : error === undefined ? '' : errorLabel(error);
}
