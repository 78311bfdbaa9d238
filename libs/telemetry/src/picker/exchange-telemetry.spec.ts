import { beforeEach, describe, expect, it } from '@jest/globals';
import { Candidate, SchedulingError } from '#scheduling';
import type { Decision } from '#scheduling';
import { Tracing } from '../tracing.ts';
import { PickerTelemetry } from './exchange-telemetry.ts';
import { PickerMetrics } from './picker-metrics.ts';

const PARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const ENDPOINT = { id: 'ns/pod-1', namespace: 'ns', name: 'pod-1', address: '10.0.0.1', port: 8000, labels: {} };
const LABELS = 'model_name="m",target_model_name="m-2",fairness_id="default-flow",priority="0"';

let metrics: PickerMetrics;
beforeEach(() => {
  metrics = new PickerMetrics();
});

const open = () => new PickerTelemetry(metrics, new Tracing(undefined)).open();
const received = (headers: Record<string, string> = {}, repeated: readonly string[] = []) => ({
  id: 'request-1',
  headers: new Map(Object.entries(headers)),
  repeated: new Set(repeated),
});

function decision(isStream = true): Decision {
  const load = { waiting: 0, running: 0, kvUsage: 0, blockSize: 16, blocks: 10, updatedAt: 0 };
  const target = new Candidate({ endpoint: ENDPOINT, load });
  const parsed = { model: 'm', isStream, hasMedia: false, cacheSalt: '', maxTokens: undefined, prompts: () => [] };
  return {
    request: {
      id: 'request-1',
      headers: new Map(),
      parsed,
      targetModel: 'm-2',
      fairnessId: 'default-flow',
      priority: 0,
      size: 100,
      notes: new Map(),
      metadata: new Map(),
    },
    result: { primary: 'decode', profiles: new Map([['decode', { targets: [target], scored: [] }]]) },
    destination: '10.0.0.1:8000',
    incomingModel: 'm',
    body: Buffer.alloc(100),
    isRewritten: true,
    isReserved: false,
  };
}

/** A sample's value, without the prefix that all have. */
async function value(sample: string): Promise<string | undefined> {
  const lines = (await metrics.registry.metrics()).split('\n');
  return lines
    .find((line) => line.startsWith(`llm_d_epp_${sample} `))
    ?.split(' ')
    .at(-1);
}

describe('the telemetry of an exchange', () => {
  it('counts a request by its endpoint, and its tokens by what the worker said', async () => {
    const exchange = open();
    exchange.received(received());
    exchange.scheduled(decision());
    exchange.sent();
    expect(await value(`request_running{${LABELS}}`)).toBe('1');
    exchange.responseHeaders({ status: 200, served: undefined, isStream: true });
    exchange.firstByte();
    exchange.chunk(10);
    exchange.chunk(20);
    exchange.usage({ inputTokens: 7, outputTokens: 3, cachedTokens: undefined });
    exchange.ended('natural');
    expect(await value(`request_total{${LABELS}}`)).toBe('1');
    expect(await value(`request_running{${LABELS}}`)).toBe('0');
    expect(await value(`response_size_bytes_sum{${LABELS}}`)).toBe('30');
    expect(await value(`request_input_tokens_sum{${LABELS}}`)).toBe('7');
    expect(await value(`request_output_tokens_sum{${LABELS}}`)).toBe('3');
    expect(await value(`request_cached_tokens_count{${LABELS}}`)).toBeUndefined();
    expect(await value(`request_streaming_itl_seconds_count{${LABELS}}`)).toBe('1');
    expect(await value(`request_streaming_tpot_seconds_count{${LABELS}}`)).toBe('1');
    expect(await value(`request_ttft_seconds_count{${LABELS},streaming="true"}`)).toBe('1');
    expect(await value('extproc_streams_inflight')).toBe('0');
    expect(await value('extproc_streams_total{code="OK"}')).toBe('1');
  });

  it('counts an error once, and the first one', async () => {
    const exchange = open();
    exchange.received(received());
    exchange.scheduled(decision());
    exchange.sent();
    exchange.responseHeaders({ status: 500, served: undefined, isStream: false });
    exchange.ended('error');
    expect(await value(`request_error_total{${LABELS},error_code="ModelServerError"}`)).toBe('1');
    expect(await value(`request_error_total{${LABELS},error_code="Unknown"}`)).toBeUndefined();
  });

  it('counts a refusal by its code, and nothing of an answer', async () => {
    const exchange = open();
    exchange.received(received());
    exchange.refused(new SchedulingError('ServiceUnavailable', 'nobody'));
    exchange.ended('natural');
    const nobody = 'model_name="unknown",target_model_name="unknown",fairness_id="default-flow",priority="0"';
    expect(await value(`request_error_total{${nobody},error_code="ServiceUnavailable"}`)).toBe('1');
    expect(await value(`request_duration_seconds_count{${nobody}}`)).toBeUndefined();
    expect(await value('request_processing_duration_seconds_count')).toBe('1');
  });

  it('brings running requests back to none, however one ends', async () => {
    for (const how of ['natural', 'client_disconnect', 'error', 'evicted'] as const) {
      const exchange = open();
      exchange.received(received());
      exchange.scheduled(decision());
      exchange.sent();
      exchange.ended(how);
    }
    expect(await value(`request_running{${LABELS}}`)).toBe('0');
    expect(await value('extproc_streams_inflight')).toBe('0');
  });

  it.each([
    { name: 'a valid one', headers: { traceparent: PARENT, tracestate: 'a=1' }, repeated: [], sent: PARENT },
    { name: 'one that came twice', headers: { traceparent: PARENT }, repeated: ['traceparent'], sent: undefined },
    { name: 'one that is none', headers: { traceparent: 'x' }, repeated: [], sent: undefined },
  ])('carries a trace context on where nothing is traced: $name', ({ headers, repeated, sent }) => {
    const exchange = open();
    exchange.received(received(headers, repeated));
    expect(exchange.propagated().get('traceparent')).toBe(sent);
  });

  it('keeps the series of junk within a bound', async () => {
    for (let index = 0; index < 1_200; index++) {
      const exchange = open();
      exchange.received(received());
      exchange.scheduled({ ...decision(), incomingModel: `junk-${index}` });
      exchange.ended('natural');
    }
    const series = (await metrics.registry.metrics()).match(/^llm_d_epp_request_total\{/gm) ?? [];
    expect(series.length).toBeLessThanOrEqual(1_001);
  });
});
