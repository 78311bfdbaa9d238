import { describe, expect, it } from '@jest/globals';
import { ACCESS_LOG, accessedCall } from './access-log.ts';

/** As Envoy 1.40 writes it. */
const ENTRY = {
  started: '1764469318.512',
  duration_ms: 575,
  method: 'POST',
  path: '/v1/chat/completions',
  request_id: 'sent-1',
  answered_id: 'own-1',
  profile: null,
  traceparent: null,
  prefer: null,
  status: 200,
  flags: null,
  upstream: '127.0.0.1:8080',
};
const line = (changes: object): string => JSON.stringify({ ...ENTRY, ...changes });

describe('accessedCall', () => {
  it('is a request of a client, by the id of its answer', () => {
    expect(accessedCall(line({}))).toMatchObject({
      server: 'gateway',
      phase: 'client',
      method: 'POST',
      path: '/v1/chat/completions',
      requestId: 'own-1',
      startedAt: 1764469318512,
      durationMs: 575,
      status: 200,
      outcome: 'complete',
    });
    expect(accessedCall(line({ answered_id: null }))?.requestId).toBe('sent-1');
  });

  it('tells the span that Envoy sent on', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(accessedCall(line({ traceparent }))?.facts).toEqual({ traceparent });
    expect(accessedCall(line({}))?.facts).toEqual({});
  });

  it.each([
    { flags: 'DC', status: 0, shown: undefined, outcome: 'client-closed' },
    { flags: 'UF,URX', status: 503, shown: 503, outcome: 'failed' },
    { flags: 'UPE', status: 200, shown: 200, outcome: 'failed' },
    { flags: '-', status: 200, shown: 200, outcome: 'complete' },
  ])('ended $outcome with the flags $flags', ({ flags, status, shown, outcome }) => {
    expect(accessedCall(line({ flags, status }))).toMatchObject({ status: shown, outcome });
  });

  it.each([
    { changes: { profile: 'prefill' }, phase: 'prefill' },
    { changes: { profile: 'encode' }, phase: 'encode' },
    { changes: { profile: 'decode' }, phase: 'decode' },
    { changes: { profile: 'decode', prefer: 'if-available' }, phase: 'probe' },
  ])('is a call of $phase that no worker was asked about', ({ changes, phase }) => {
    expect(accessedCall(line({ ...changes, upstream: null, status: 412 }))).toMatchObject({ phase, status: 412 });
    expect(accessedCall(line(changes))).toBeUndefined();
  });

  it.each(['', 'plain', '{"cut', '{"other": 1}'])('is none of the line %j', (text) => {
    expect(accessedCall(text)).toBeUndefined();
  });

  it('is asked for by the names that it is read by', () => {
    expect(Object.keys(ACCESS_LOG.typed_config.log_format.json_format)).toEqual(Object.keys(ENTRY));
  });
});
