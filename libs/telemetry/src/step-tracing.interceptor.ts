import { SpanKind, context, trace } from '@opentelemetry/api';
import { Injectable } from '@nestjs/common';
import type { StepCall, StepInterceptor, StepOutcome } from '#pipeline';
import { errorLabel } from './error-label.ts';
import { observeBodyEnd } from './observe-body-end.ts';
import { RequestRecords } from './request-record.ts';
import { Tracing, failSpan } from './tracing.ts';

/** One span for each step of a sampled request, active while the step runs, over when its last byte has passed. */
@Injectable()
export class StepTracing implements StepInterceptor {
  constructor(
    private readonly records: RequestRecords,
    private readonly tracing: Tracing,
  ) {}

  intercept(call: StepCall, next: () => Promise<StepOutcome>): Promise<StepOutcome> {
    const spans = this.records.of(call.request.scope)?.trace;
    const parent = spans?.pipelineContext;
    const span = parent && this.tracing.span(call.step, SpanKind.INTERNAL, parent);
    if (spans === undefined || parent === undefined || span === undefined) return next();
    const own = trace.setSpan(parent, span);
    spans.stepContext = own;
    return context.with(own, async () => {
      try {
        const outcome = await next();
        if (outcome.kind === 'respond' && outcome.response.status >= 400)
          failSpan(span, String(outcome.response.status));
        observeBodyEnd(outcome, (error) => {
          if (error !== undefined) failSpan(span, errorLabel(error));
          span.end();
        });
        return outcome;
      } catch (error) {
        failSpan(span, errorLabel(error));
        span.end();
        throw error;
      }
    });
  }
}
