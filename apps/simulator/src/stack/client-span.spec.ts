import { describe, expect, it } from '@jest/globals';
import type { LoggedCall } from '../control/request-log.ts';
import { clientSpan } from './client-span.ts';
import { SHOWN } from './span-attributes.ts';

const CALL: LoggedCall = {
  server: 'gateway',
  phase: 'client',
  method: 'POST',
  path: '/v1/chat/completions?a=1',
  headers: {},
  requestId: 'r-1',
  startedAt: 1000,
  facts: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  body: undefined,
  status: 200,
  headMs: undefined,
  firstEventMs: undefined,
  durationMs: 25,
  events: 0,
  outcome: 'complete',
};

describe('clientSpan', () => {
  it('is the span that the gateway sent on, for as long as the request took', () => {
    expect(clientSpan(CALL)).toEqual({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      parentSpanId: undefined,
      name: 'POST /v1/chat/completions',
      isServer: true,
      startedAt: 1000,
      endedAt: 1025,
      attributes: { [SHOWN.requestId]: 'r-1', [SHOWN.status]: 200 },
      error: undefined,
    });
  });

  it.each([
    { status: undefined, outcome: 'client-closed' as const },
    { status: 200, outcome: 'failed' as const },
  ])('has failed where the request ended $outcome', (changes) => {
    expect(clientSpan({ ...CALL, ...changes })?.error).toBe(changes.outcome);
  });

  it("is none of a call that is not a client's, or that has begun no trace", () => {
    expect(clientSpan({ ...CALL, phase: 'decode' })).toBeUndefined();
    expect(clientSpan({ ...CALL, facts: {} })).toBeUndefined();
  });
});
