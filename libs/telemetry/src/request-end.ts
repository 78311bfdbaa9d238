import type { ReplyFacts } from '#pipeline';
import { isBrokersAnswer, statusLabel } from './error-label.ts';
import { PARTS, STREAM_OUTCOMES } from './label-values.ts';
import type { ErrorLabel, StreamOutcome } from './label-values.ts';
import type { Metrics } from './metrics.ts';
import type { RequestRecord } from './request-record.ts';
import type { Usage } from '#protocol';

const OPERATIONS = {
  chat_completions: 'chat',
  completions: 'text_completion',
  responses: 'chat',
  generate: 'text_completion',
  unknown: 'chat',
} as const;
/** What serves behind the gateway, as the GenAI conventions name it. */
const PROVIDER = 'vllm';

/** Everything that is measured of a request when it is over. */
export function observeRequestEnd(metrics: Metrics, record: RequestRecord, facts: ReplyFacts): void {
  const { on } = metrics;
  const model = [record.modelLabel] as const;
  const { sampledTraceId: traceId } = record;
  const duration = (record.endedAt ?? record.startedAt) - record.startedAt;
  on.requests.add(model);
  on.requestSize.observe(model, record.bodyBytes);
  on.requestDuration.observe(model, duration / 1000, traceId);
  on.responseSize.observe([String(facts.isStream)], facts.bytes);
  const error = errorOf(record, facts);
  if (error !== undefined) on.requestErrors.add([record.modelLabel, error]);
  observeOverhead(metrics, record);
  if (record.executionPath !== undefined) on.executionPath.add([record.modelLabel, record.executionPath]);
  if (facts.isStream) on.streamOutcome.add([streamOutcome(record, facts)]);
  const genAi = genAiLabels(record, error);
  observeTokens(metrics, record, genAi, traceId);
  on.genAiDuration.observe(genAi, duration / 1000, traceId);
}

type GenAiLabels = readonly [operation: string, provider: string, model: string, errorType: string];

function genAiLabels(record: RequestRecord, error: ErrorLabel | undefined): GenAiLabels {
  const isCompleted = record.outcome === 'completed';
  return [OPERATIONS[record.route], PROVIDER, record.modelLabel, isCompleted ? '' : (error ?? record.outcome ?? '')];
}

/** Whose fault it is that a request failed; undefined for one that did not. */
function errorOf(record: RequestRecord, { status, end }: ReplyFacts): ErrorLabel | undefined {
  if (record.error !== undefined) return record.error.label;
  // a client that takes nothing is one that has left; its end may be told before the error is
  if (end === 'client_closed' || end === 'stalled') return 'client_closed';
  if (status !== undefined && status >= 400) {
    return isBrokersAnswer(record.steps.at(-1)?.step, status) ? undefined : statusLabel(status);
  }
  return end === 'completed' ? undefined : 'internal';
}

function observeOverhead({ on }: Metrics, record: RequestRecord): void {
  if (record.headAt === undefined) return;
  const receive = record.clock.parts.receive;
  on.overhead.observe([record.route], Math.max(0, record.headAt - record.startedAt - receive - record.stepTime) / 1000);
}

/** How a stream ended, in the closed set of the metric. */
function streamOutcome(record: RequestRecord, { end }: ReplyFacts): StreamOutcome {
  if (end === 'completed') return record.answer?.isTerminated === false ? 'incomplete' : 'completed';
  return STREAM_OUTCOMES.find((outcome) => outcome === end) ?? 'incomplete';
}

function observeTokens({ on }: Metrics, record: RequestRecord, genAi: GenAiLabels, traceId: string | undefined): void {
  const { answer, modelLabel } = record;
  if (answer === undefined) return;
  observeUsage(on, modelLabel, answer.usage);
  const { firstOutputAt, lastOutputAt } = answer;
  if (firstOutputAt === undefined || lastOutputAt === undefined) return;
  const first = (firstOutputAt - record.startedAt) / 1000;
  on.timeToFirstToken.observe([modelLabel, record.executionPath ?? 'decode-only'], first, traceId);
  for (const part of PARTS) on.timeToFirstTokenPart.observe([part], record.clock.parts[part] / 1000);
  on.genAiFirstToken.observe(genAi, first, traceId);
  const tokens = answer.usage?.outputTokens ?? answer.outputEvents;
  if (tokens < 2) return;
  const perToken = (lastOutputAt - firstOutputAt) / 1000 / (tokens - 1);
  on.timePerOutputToken.observe([modelLabel], perToken, traceId);
  on.genAiPerToken.observe(genAi, perToken, traceId);
}

function observeUsage(on: Metrics['on'], modelLabel: string, usage: Usage | undefined): void {
  if (usage?.outputTokens !== undefined) on.outputTokens.observe([modelLabel], usage.outputTokens);
  if (usage?.cachedTokens !== undefined) on.cachedTokens.observe([modelLabel], usage.cachedTokens);
}
