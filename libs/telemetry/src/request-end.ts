import type { ReplyFacts } from '#pipeline';
import { statusLabel } from './error-label.ts';
import { PARTS, STREAM_OUTCOMES } from './label-values.ts';
import type { StreamOutcome } from './label-values.ts';
import type { Metrics } from './metrics.ts';
import type { RequestRecord } from './request-record.ts';

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
  const traceId = record.trace?.server === undefined ? undefined : record.trace.ids.traceId;
  const seconds = (record.endedAt ?? record.startedAt) - record.startedAt;
  on.requests.add(model);
  on.requestSize.observe(model, record.bodyBytes);
  on.requestDuration.observe(model, seconds / 1000, traceId);
  on.responseSize.observe([String(facts.isStream)], facts.bytes);
  countError(metrics, record, facts);
  observeOverhead(metrics, record);
  if (record.executionPath !== undefined) on.executionPath.add([record.modelLabel, record.executionPath]);
  if (facts.isStream) on.streamOutcome.add([streamOutcome(record, facts)]);
  observeTokens(metrics, record, traceId);
  const genAi = genAiLabels(record);
  on.genAiDuration.observe(genAi, seconds / 1000, traceId);
}

function genAiLabels(record: RequestRecord): readonly [string, string, string, string] {
  return [OPERATIONS[record.route], PROVIDER, record.modelLabel, record.outcome === 'completed' ? '' : (record.error?.label ?? record.outcome ?? '')];
}

function countError({ on }: Metrics, record: RequestRecord, { status, end }: ReplyFacts): void {
  const label = record.error?.label ?? (end === 'client_closed' ? 'client_closed' : undefined);
  const relayed = status !== undefined && status >= 400 ? statusLabel(status) : undefined;
  const code = label ?? relayed ?? (end === 'completed' ? undefined : 'internal');
  if (code !== undefined) on.requestErrors.add([record.modelLabel, code]);
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

function observeTokens({ on }: Metrics, record: RequestRecord, traceId: string | undefined): void {
  const { answer, modelLabel } = record;
  if (answer === undefined) return;
  const { usage, firstOutputAt, lastOutputAt } = answer;
  if (usage?.outputTokens !== undefined) on.outputTokens.observe([modelLabel], usage.outputTokens);
  if (usage?.cachedTokens !== undefined) on.cachedTokens.observe([modelLabel], usage.cachedTokens);
  if (firstOutputAt === undefined || lastOutputAt === undefined) return;
  const first = (firstOutputAt - record.startedAt) / 1000;
  on.timeToFirstToken.observe([modelLabel, record.executionPath ?? 'decode-only'], first, traceId);
  for (const part of PARTS) on.timeToFirstTokenPart.observe([part], record.clock.parts[part] / 1000);
  on.genAiFirstToken.observe(genAiLabels(record), first, traceId);
  const tokens = usage?.outputTokens ?? answer.outputEvents;
  if (tokens < 2) return;
  const perToken = (lastOutputAt - firstOutputAt) / 1000 / (tokens - 1);
  on.timePerOutputToken.observe([modelLabel], perToken, traceId);
  on.genAiPerToken.observe(genAiLabels(record), perToken, traceId);
}
