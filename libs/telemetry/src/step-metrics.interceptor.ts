import { Injectable } from '@nestjs/common';
import type { PipelineRequest, StepCall, StepInterceptor, StepOutcome } from '#pipeline';
import { errorLabel, isBrokersAnswer, statusLabel } from './error-label.ts';
import { Metrics } from './metrics.ts';
import { observeBodyEnd } from './observe-body-end.ts';
import { RequestRecords } from './request-record.ts';
import type { RequestRecord, StepRecord } from './request-record.ts';

/** Times each step to its last byte, failed ones too, and keeps what it found for the request's record. */
@Injectable()
export class StepMetrics implements StepInterceptor {
  constructor(
    private readonly metrics: Metrics,
    private readonly records: RequestRecords,
  ) {}

  async intercept(call: StepCall, next: () => Promise<StepOutcome>): Promise<StepOutcome> {
    const record = this.records.of(call.request.scope);
    if (record === undefined) return next();
    const step: StepRecord = { step: call.step, startedAt: record.elapsed() };
    record.steps.push(step);
    this.metrics.on.stepsRunning.add([call.step], 1);
    const end = (outcome: string): void => {
      this.end(record, step, outcome);
    };
    try {
      const outcome = await next();
      record.stepTime += record.elapsed() - step.startedAt;
      if (outcome.kind === 'next') this.found(record, call.request, outcome);
      observeBodyEnd(outcome, (error) => {
        end(error !== undefined ? errorLabel(error) : endOf(call.step, outcome));
      });
      return outcome;
    } catch (error) {
      record.stepTime += record.elapsed() - step.startedAt;
      end(errorLabel(error));
      throw error;
    }
  }

  private end(record: RequestRecord, step: StepRecord, outcome: string): void {
    step.endedAt = record.elapsed();
    step.outcome = outcome;
    const { on } = this.metrics;
    on.stepsRunning.add([step.step], -1);
    on.stepDuration.observe([step.step], (step.endedAt - step.startedAt) / 1000, record.sampledTraceId);
    if (outcome !== 'next' && outcome !== 'respond') on.stepErrors.add([step.step, outcome]);
  }

  private found(record: RequestRecord, request: PipelineRequest, { findings }: StepOutcome & { kind: 'next' }): void {
    if (findings === undefined) return;
    const { on } = this.metrics;
    const { tokens, handoff, prefillFailed, mediaParts } = findings;
    if (tokens !== undefined) {
      record.inputTokens = tokens.count;
      on.inputTokens.observe([record.modelLabel], tokens.count);
    }
    if (handoff !== undefined) {
      record.handoff = handoff;
      on.kvHandoff.add([handoff.connector, handoff.result]);
    }
    if (prefillFailed === true) record.prefillFailed = true;
    // more than one step finds them; what an earlier one found, the request has
    if (mediaParts === undefined || request.mediaParts !== undefined) return;
    for (const [kind, count] of countByKind(mediaParts)) on.mediaItems.observe([kind], count);
  }
}

function endOf(step: string, outcome: StepOutcome): string {
  if (outcome.kind === 'next') return 'next';
  const { status } = outcome.response;
  return status >= 400 && !isBrokersAnswer(step, status) ? statusLabel(status) : 'respond';
}

function countByKind(parts: readonly { readonly modality: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { modality } of parts) counts.set(modality, (counts.get(modality) ?? 0) + 1);
  return counts;
}
