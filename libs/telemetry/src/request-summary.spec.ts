import { describe, expect, it } from '@jest/globals';
import { aRequest } from '#testing';
import type { Usage } from '#protocol';
import { aRecord, anAnswer } from './request-record.fixture.ts';
import { partTimes, requestSummary } from './request-summary.ts';

describe('requestSummary', () => {
  it('says how a request went', () => {
    const record = aRecord();
    record.parsed(aRequest({ body: '{"model":"m","messages":[],"stream":true}' }), 'm');
    record.clock.received(record.startedAt + 10);
    record.clock.enter('decode', record.startedAt + 20);
    record.clock.stop(record.startedAt + 100);
    record.steps.push({ step: 'decode', startedAt: 20 });
    record.attemptCount = 2;
    record.inputTokens = 6;
    record.answer = anAnswer(record);
    record.status = 200;
    record.outcome = 'completed';
    record.endedAt = record.startedAt + 150.0004;
    expect(requestSummary(record)).toEqual({
      'x-request-id': 'req-1',
      route: 'chat_completions',
      path: '/v1/chat/completions',
      model: 'm',
      stream: true,
      status: 200,
      outcome: 'completed',
      execution_path: 'decode-only',
      duration_ms: 150,
      time_to_first_token_ms: 100,
      parts_ms: { receive: 10, coordinator: 10, decode: 80 },
      input_tokens: 6,
      output_tokens: 7,
      cached_tokens: 2,
      upstream_attempts: 2,
    });
  });

  it('names the trace and the error where there are any', () => {
    const record = aRecord();
    const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };
    // only its ids are read
    record.trace = { ids } as NonNullable<typeof record.trace>;
    record.error = { label: 'upstream_5xx', code: 'upstream_failed' };
    expect(requestSummary(record)).toMatchObject({
      trace_id: ids.traceId,
      span_id: ids.spanId,
      error_code: 'upstream_failed',
    });
  });

  it.each<[what: string, rendered: number | undefined, usage: Usage | undefined, expected: number | undefined]>([
    ['what render counted', 6, { inputTokens: 5, outputTokens: undefined, cachedTokens: undefined }, 6],
    [
      'what usage says, without render',
      undefined,
      { inputTokens: 5, outputTokens: undefined, cachedTokens: undefined },
      5,
    ],
    ['nothing that is not known', undefined, undefined, undefined],
  ])('has %s for the tokens that came in', (_what, rendered, usage, expected) => {
    const record = aRecord();
    record.inputTokens = rendered;
    record.answer = anAnswer(record, { usage });
    expect(requestSummary(record)).toMatchObject({ input_tokens: expected, output_tokens: undefined });
  });

  it('has no word of what the client or a worker said', () => {
    const record = aRecord();
    const body =
      '{"model":"m","messages":[{"role":"user","content":"SECRET-1"}],"user":"SECRET-2","kv_transfer_params":{"x":"SECRET-3"}}';
    record.parsed(aRequest({ body, scope: { headers: ['authorization', 'Bearer SECRET-4'] } }), 'm');
    record.handoff = {
      params: [Buffer.from('{"y":"SECRET-5"}')],
      connector: 'kv-nixl',
      result: 'complete',
      receivedAt: 0,
    };
    expect(JSON.stringify(requestSummary(record))).not.toContain('SECRET');
    expect(JSON.stringify(requestSummary(record)).length).toBeLessThan(500);
  });
});

describe('partTimes', () => {
  it('has the parts that took any time, in microseconds at the finest', () => {
    const record = aRecord();
    record.clock.received(record.startedAt + 0.0001);
    record.clock.enter('render', record.startedAt + 1);
    record.clock.leave('render', record.startedAt + 2.5);
    record.clock.stop(record.startedAt + 2.5);
    expect(partTimes(record)).toEqual({ coordinator: 1, render: 1.5 });
  });
});
