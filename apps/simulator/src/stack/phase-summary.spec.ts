import { describe, expect, it } from '@jest/globals';
import type { LoggedCall } from '../control/request-log.ts';
import { phaseNames, phaseSummary } from './phase-summary.ts';
import { requestLine } from './request-lines.ts';

const call = (phase: LoggedCall['phase'], change: Partial<LoggedCall> = {}): LoggedCall => ({
  server: 'gateway',
  phase,
  method: 'POST',
  path: '/v1/chat/completions',
  headers: {},
  requestId: 'r-1',
  startedAt: 1000,
  facts: { model: 'm' },
  body: undefined,
  status: 200,
  headMs: 1,
  firstEventMs: undefined,
  durationMs: 3,
  events: 0,
  outcome: 'complete',
  ...change,
});

const all = [
  call('render', { server: 'render' }),
  call('probe', { status: 412, durationMs: 2 }),
  call('encode', { server: 'encode-2', startedAt: 1005, durationMs: 8 }),
  call('encode', { server: 'encode-1', startedAt: 1006, durationMs: 10 }),
  call('prefill', { server: 'prefill-1', durationMs: 24 }),
  call('decode', { server: 'decode-2', firstEventMs: 31, events: 48, durationMs: 412 }),
];

describe('phaseSummary', () => {
  it('gives each phase its workers and its time, parallel calls their common one', () => {
    expect(phaseSummary(all)).toBe(
      'render 3ms · probe 412 2ms · encode×2 → encode-1, encode-2 11ms · prefill → prefill-1 24ms · ' +
        'decode → decode-2 ttft 31ms, 48 events, 412ms',
    );
  });

  it.each([
    {
      calls: [call('probe', { server: 'decode-1', firstEventMs: 4, events: 9 })],
      expected: 'probe hit → decode-1 ttft 4ms, 9 events, 3ms',
    },
    { calls: [call('prefill', { status: 503 })], expected: 'prefill 503 3ms' },
    { calls: [call('decode', { status: undefined, outcome: 'failed' })], expected: 'decode unanswered 3ms, failed' },
    { calls: [call('decode', { outcome: 'client-closed' })], expected: 'decode 3ms, client-closed' },
    { calls: [call('decode', { outcome: undefined, durationMs: undefined })], expected: 'decode 0ms, running' },
  ])('says $expected', ({ calls, expected }) => {
    expect(phaseSummary(calls)).toBe(expected);
  });
});

describe('phaseNames', () => {
  it('leaves the times out', () => {
    expect(phaseNames(all)).toBe('render, probe 412, encode×2, prefill, decode');
  });
});

describe('requestLine', () => {
  it('begins with time, id, request, model and status', () => {
    const line = requestLine(call('client', { durationMs: 480 }), all);
    expect(line).toMatch(/^\d\d:\d\d:\d\d r-1 POST \/v1\/chat\/completions m 200 · render 3ms · .* · 480ms in all$/);
  });

  it.each([
    { status: undefined, end: / client-closed · 3ms in all$/ },
    { status: 200, end: / 200 · 3ms in all · client-closed$/ },
  ])('says that the client left, after the status $status', ({ status, end }) => {
    expect(requestLine(call('client', { status, outcome: 'client-closed' }), [])).toMatch(end);
  });
});
