import { describe, expect, it } from '@jest/globals';
import { RequestLog } from './request-log.ts';
import type { LoggedCall } from './request-log.ts';

const call = (requestId: string, body?: unknown): LoggedCall => ({
  server: 's',
  phase: 'decode',
  method: 'POST',
  path: '/',
  headers: {},
  requestId,
  startedAt: Date.now(),
  facts: {},
  body,
  status: undefined,
  headMs: undefined,
  firstEventMs: undefined,
  durationMs: undefined,
  events: 0,
  outcome: undefined,
});

describe('RequestLog', () => {
  it('keeps the latest 2000 calls, and the bodies of the latest 200', () => {
    const log = new RequestLog();
    for (let i = 0; i < 2500; i++) log.begin(call(`r-${i}`, { i }));
    expect(log.all()).toHaveLength(2000);
    expect(log.all()[0]?.requestId).toBe('r-500');
    expect(log.all().filter(({ body }) => body !== undefined)).toHaveLength(200);
    expect(log.of('r-2499')).toMatchObject([{ body: { i: 2499 } }]);
  });

  it('gives a call that ended already, or the next one that does', async () => {
    const log = new RequestLog();
    const first = call('a');
    const second = call('b');
    log.begin(first);
    log.begin(second);
    log.finish(first, 'complete');
    const waiting = log.waitFor(({ requestId }) => requestId === 'b');
    expect(await log.waitFor(({ requestId }) => requestId === 'a')).toBe(first);
    log.finish(second, 'client-closed');
    expect(await waiting).toMatchObject({ outcome: 'client-closed', durationMs: expect.any(Number) });
  });

  it('gives up waiting', async () => {
    await expect(new RequestLog().waitFor(() => true, 5)).rejects.toThrow('no such call ended within 5 ms');
  });

  it('takes in a call that ended elsewhere, with its own time', async () => {
    const log = new RequestLog();
    const waiting = log.waitFor(({ requestId }) => requestId === 'a');
    log.record({ ...call('a'), durationMs: 7, outcome: 'failed' });
    expect(await waiting).toMatchObject({ durationMs: 7, outcome: 'failed' });
    expect(log.of('a')).toHaveLength(1);
  });

  it('takes the first outcome of a call', () => {
    const log = new RequestLog();
    const only = call('a');
    log.begin(only);
    log.finish(only, 'failed');
    log.finish(only, 'complete');
    expect(only.outcome).toBe('failed');
  });
});
