import { SpanKind, trace } from '@opentelemetry/api';
import { Injectable } from '@nestjs/common';
import type { ClientResponse, PipelineInterceptor, PipelineRequest } from '#pipeline';
import { ATTRIBUTES } from './attributes.ts';
import { errorLabel } from './error-label.ts';
import { requestContext } from './request-context.ts';
import { RequestRecords } from './request-record.ts';
import type { RequestRecord } from './request-record.ts';
import { Tracing, failSpan } from './tracing.ts';

/** Around a request's way through all steps: the `pipeline` span, and the context that log lines and downloads find it by. */
@Injectable()
export class PipelineTelemetry implements PipelineInterceptor {
  constructor(
    private readonly records: RequestRecords,
    private readonly tracing: Tracing,
  ) {}

  intercept(request: PipelineRequest, next: () => Promise<ClientResponse>): Promise<ClientResponse> {
    const record = this.records.of(request.scope);
    if (record === undefined) return next();
    return requestContext.run(record, () => this.traced(request, record, next));
  }

  private async traced(
    request: PipelineRequest,
    record: RequestRecord,
    next: () => Promise<ClientResponse>,
  ): Promise<ClientResponse> {
    const { trace: spans } = record;
    if (spans?.server !== undefined) {
      spans.pipeline = this.tracing.span('pipeline', SpanKind.INTERNAL, spans.serverContext, {
        ...(request.model === undefined || request.model === ''
          ? {}
          : { [ATTRIBUTES.requestModel]: record.modelLabel }),
      });
      if (spans.pipeline !== undefined) spans.pipelineContext = trace.setSpan(spans.serverContext, spans.pipeline);
    }
    try {
      const response = await next();
      record.headAt = performance.now();
      this.endWithBody(record, response);
      return response;
    } catch (error) {
      failSpan(spans?.pipeline, errorLabel(error));
      this.end(record);
      throw error;
    }
  }

  private endWithBody(record: RequestRecord, { body, status }: ClientResponse): void {
    const span = record.trace?.pipeline;
    if (span === undefined) return;
    if (status >= 400) failSpan(span, String(status));
    if (!('pipe' in body)) return this.end(record);
    body.observe({
      end: (error) => {
        if (error !== undefined) failSpan(span, errorLabel(error));
        this.end(record);
      },
    });
  }

  private end(record: RequestRecord): void {
    const span = record.trace?.pipeline;
    if (span === undefined) return;
    span.setAttribute(ATTRIBUTES.stepCount, record.steps.length);
    if (record.executionPath !== undefined) span.setAttribute(ATTRIBUTES.executionPath, record.executionPath);
    span.end();
  }
}
