import { Injectable, Logger } from '@nestjs/common';
import type { CoordinatorError } from '#foundation';
import { RequestObserver } from '#pipeline';
import type { InboundRequest, ReplyFacts, RequestArrival, RequestWatch } from '#pipeline';
import { ATTRIBUTES } from './attributes.ts';
import { errorLabel } from './error-label.ts';
import { FlightRecorder } from './flight-recorder.ts';
import { Metrics } from './metrics.ts';
import { observeRequestEnd } from './request-end.ts';
import { requestIds, requestSummary } from './request-summary.ts';
import { RequestRecord, RequestRecords } from './request-record.ts';
import { Tracing, failSpan } from './tracing.ts';

/** Sees each request from its request line to its last byte: counts it, records it, and says two lines about it. */
@Injectable()
export class RequestTelemetry extends RequestObserver {
  private readonly logger = new Logger('server');

  constructor(
    private readonly metrics: Metrics,
    private readonly records: RequestRecords,
    private readonly recorder: FlightRecorder,
    private readonly tracing: Tracing,
  ) {
    super();
  }

  begin({ scope, method, path, route, isInference = route !== undefined }: RequestArrival): RequestWatch {
    const record = new RequestRecord(scope.id, method, path);
    record.trace = this.tracing.begin(scope, route === undefined ? method : `${method} ${route}`, {
      [ATTRIBUTES.method]: method,
      [ATTRIBUTES.path]: record.path,
      [ATTRIBUTES.requestId]: scope.id,
      ...(route === undefined ? {} : { [ATTRIBUTES.route]: route }),
    });
    this.records.set(scope, record);
    this.recorder.began(record);
    return isInference ? this.inference(record) : this.other(record, route === undefined);
  }

  private inference(record: RequestRecord): RequestWatch {
    const { on } = this.metrics;
    on.requestsRunning.add([record.modelLabel], 1);
    return {
      bodyRead: (bytes) => {
        record.bodyBytes = bytes;
      },
      parsed: (request) => {
        this.parsed(record, request);
      },
      failed: (error) => {
        this.failed(record, error);
      },
      ended: (facts) => {
        this.ended(record, facts);
        on.requestsRunning.add([record.modelLabel], -1);
        observeRequestEnd(this.metrics, record, facts);
        this.logger.log(requestSummary(record), 'request finished');
      },
    };
  }

  /** Paths that are passed through, and those of queued requests, have no inference metrics (`coordinator.md` A.6). */
  private other(record: RequestRecord, isPassthrough: boolean): RequestWatch {
    return {
      bodyRead: () => undefined,
      parsed: () => undefined,
      failed: (error) => {
        this.failed(record, error);
      },
      ended: (facts) => {
        this.ended(record, facts);
        const what = isPassthrough ? 'request passed through' : 'queued request asked for';
        this.logger.debug(requestSummary(record), what);
      },
    };
  }

  private parsed(record: RequestRecord, request: InboundRequest): void {
    record.clock.received(performance.now());
    const label = this.metrics.modelName(request.model);
    this.metrics.on.requestsRunning.add([record.modelLabel], -1);
    record.parsed(request, label);
    this.metrics.on.requestsRunning.add([label], 1);
    const { server } = record.trace ?? {};
    if (server !== undefined && request.model !== undefined) {
      server.setAttribute(ATTRIBUTES.requestModel, record.modelLabel);
    }
    this.logger.log(
      {
        ...requestIds(record),
        route: record.route,
        path: record.path,
        model: record.modelLabel,
        stream: record.isStream,
      },
      'request received',
    );
  }

  private failed(record: RequestRecord, error: CoordinatorError): void {
    record.error ??= { label: errorLabel(error), code: error.code };
  }

  private ended(record: RequestRecord, facts: ReplyFacts): void {
    record.endedAt = performance.now();
    record.clock.stop(record.endedAt);
    record.status = facts.status ?? (facts.end === 'client_closed' ? 499 : undefined);
    record.outcome = outcomeOf(record, facts);
    record.release();
    this.recorder.finished(record);
    const span = record.trace?.server;
    if (span === undefined) return;
    if (record.status !== undefined) span.setAttribute(ATTRIBUTES.status, record.status);
    span.setAttribute(ATTRIBUTES.outcome, record.outcome);
    if (record.outcome !== 'completed') failSpan(span, record.error?.code ?? record.outcome);
    span.end();
  }
}

/** One word for how it went: `completed`, or what kept it from that. */
function outcomeOf(record: RequestRecord, { end, status, isStream }: ReplyFacts): string {
  if (end !== 'completed') return end;
  if (record.error !== undefined || (status ?? 0) >= 400) return 'failed';
  return isStream && record.answer?.isTerminated === false ? 'incomplete' : 'completed';
}
