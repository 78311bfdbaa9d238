import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startSimulatedCluster } from './cluster.ts';
import type { SimulatedCluster } from './cluster.ts';
import type { FaultInput } from './control/fault.schema.ts';
import { HandDriver } from './testing/hand-driver.ts';

const STREAM = { model: 'm', prompt: 'Tell me', max_tokens: 8, stream: true };

describe('faults', () => {
  let cluster: SimulatedCluster;
  let hand: HandDriver;

  beforeAll(async () => {
    cluster = await startSimulatedCluster();
    hand = new HandDriver(cluster);
  });
  afterEach(() => {
    cluster.faults.clear();
    cluster.requests.clear();
  });
  afterAll(() => cluster.close());

  /** The body as far as it came, and whether it ended well. */
  async function streamed(body: object = STREAM): Promise<{ status: number; text: string; whole: boolean }> {
    const response = await fetch(`${cluster.gateway.url}/v1/completions`, {
      method: 'POST',
      headers: { 'EPP-Profile': 'decode' },
      body: JSON.stringify(body),
    });
    let text = '';
    try {
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
      return { status: response.status, text, whole: true };
    } catch {
      return { status: response.status, text, whole: false };
    }
  }
  const events = (text: string): number => text.split('\n\n').length - 1;

  it('answers the status, body and headers of a status fault', async () => {
    const error = { message: 'bad image', type: 'BadRequestError', code: 400 };
    cluster.faults.set([
      { phase: 'decode', kind: 'status', status: 429, headers: { 'retry-after': '7' }, body: { error } },
    ]);
    const reply = await hand.call('decode', 'completions', STREAM);
    expect(reply).toMatchObject({ status: 429, json: { error } });
    expect(reply.headers.get('retry-after')).toBe('7');
  });

  it('answers an error object when a status fault has no body', async () => {
    cluster.faults.set([{ phase: 'render', kind: 'status', status: 503 }]);
    expect(await hand.render('completions', STREAM)).toMatchObject({
      status: 503,
      json: { error: { message: 'simulated failure of render', type: 'ServiceUnavailableError' } },
    });
  });

  it.each(['cut', 'reset'] as const)('ends the connection before the head by a %s', async (kind) => {
    cluster.faults.set([{ phase: 'decode', kind }]);
    await expect(hand.call('decode', 'completions', STREAM)).rejects.toThrow('fetch failed');
    expect(cluster.requests.phase('decode')).toMatchObject([
      { outcome: 'failed', status: undefined, facts: { fault: kind } },
    ]);
  });

  it.each(['cut', 'reset'] as const)('ends a stream after three events by a %s', async (kind) => {
    cluster.faults.set([{ phase: 'decode', kind, after_events: 3 }]);
    const { status, text, whole } = await streamed();
    expect({ status, events: events(text), whole }).toEqual({ status: 200, events: 3, whole: false });
    expect(text).not.toContain('[DONE]');
    expect(text.endsWith('\n\n')).toBe(true);
  });

  it('ends a stream in the middle of an event', async () => {
    cluster.faults.set([{ phase: 'decode', kind: 'cut', after_events: 2, mid_event: true }]);
    const { text, whole } = await streamed();
    expect({ events: events(text), whole }).toEqual({ events: 2, whole: false });
    expect(text.slice(text.lastIndexOf('\n\n') + 2)).toMatch(/^data: \{"id"/);
  });

  it('ends a stream after its last event, before the end of the body', async () => {
    cluster.faults.set([{ phase: 'decode', kind: 'reset', after_events: 1000 }]);
    const { text, whole } = await streamed();
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(whole).toBe(false);
  });

  it('ends a buffered answer in its middle', async () => {
    cluster.faults.set([{ phase: 'decode', kind: 'cut', after_events: 0 }]);
    const { status, text, whole } = await streamed({ ...STREAM, stream: false });
    expect({ status, whole }).toEqual({ status: 200, whole: false });
    expect(text).toMatch(/^\{"id"/);
  });

  it('stalls until the caller leaves', async () => {
    cluster.faults.set([{ phase: 'decode', kind: 'stall' }]);
    const caller = new AbortController();
    const call = fetch(`${cluster.gateway.url}/v1/completions`, {
      method: 'POST',
      headers: { 'EPP-Profile': 'decode' },
      body: JSON.stringify(STREAM),
      signal: caller.signal,
    });
    while (cluster.requests.phase('decode').length === 0) await new Promise(setImmediate);
    caller.abort();
    await expect(call).rejects.toThrow('abort');
    expect(await cluster.requests.waitFor(({ phase }) => phase === 'decode')).toMatchObject({
      outcome: 'client-closed',
    });
  });

  it('goes on after a stall that has an end, with every byte in place', async () => {
    const undisturbed = await streamed();
    for (const midway of [{ after_events: 3, mid_event: true }, { after_events: 3 }, {}]) {
      cluster.faults.set([{ phase: 'decode', kind: 'stall', delay_ms: 30, ...midway }]);
      const { text, whole } = await streamed();
      expect(whole).toBe(true);
      expect(contents(text)).toEqual(contents(undisturbed.text));
    }
    const slowed = cluster.requests.phase('decode').slice(1);
    expect(slowed.every(({ durationMs = 0 }) => durationMs >= 29)).toBe(true);
  });

  it('slows the head and every event', async () => {
    cluster.faults.set([{ phase: 'decode', kind: 'slow', delay_ms: 10 }]);
    expect(await streamed()).toMatchObject({ whole: true });
    const [call] = cluster.requests.phase('decode');
    expect(call?.headMs).toBeGreaterThanOrEqual(9);
    expect(call?.durationMs).toBeGreaterThanOrEqual(95);
  });

  const chosen: { what: string; fault: Partial<FaultInput>; statuses: number[] }[] = [
    { what: 'each call', fault: {}, statuses: [500, 500, 500, 500] },
    { what: 'a number of calls', fault: { times: 2 }, statuses: [500, 500, 200, 200] },
    { what: 'calls after some that pass', fault: { skip: 1, times: 1 }, statuses: [200, 500, 200, 200] },
    { what: 'no call of another phase', fault: { phase: 'prefill' }, statuses: [200, 200, 200, 200] },
    { what: 'calls of any phase', fault: { phase: 'any', times: 1 }, statuses: [500, 200, 200, 200] },
    { what: 'no call when it is improbable', fault: { probability: 0 }, statuses: [200, 200, 200, 200] },
  ];
  it.each(chosen)('hits $what', async ({ fault, statuses }) => {
    cluster.faults.set([{ phase: 'decode', kind: 'status', ...fault }]);
    const seen: number[] = [];
    for (const _ of statuses) seen.push((await hand.call('decode', 'completions', STREAM)).status);
    expect(seen).toEqual(statuses);
  });

  it('tells a probe from a decode', async () => {
    cluster.faults.set([{ phase: 'probe', kind: 'status', status: 503 }]);
    expect(await hand.probe('completions', STREAM)).toMatchObject({ status: 503 });
    expect(await hand.call('decode', 'completions', STREAM)).toMatchObject({ status: 200 });
  });

  it.each(['gateway', 'render'] as const)('is set, shown and cleared over HTTP on the %s', async (server) => {
    const url = `${cluster[server].url}/simulator/faults`;
    const put = (body: string): Promise<Response> => fetch(url, { method: 'PUT', body });
    expect((await put('[{"phase": "decode", "kind": "status", "status": 418}]')).status).toBe(200);
    expect(await (await fetch(url)).json()).toMatchObject([{ phase: 'decode', status: 418 }]);
    expect(await hand.call('decode', 'completions', STREAM)).toMatchObject({ status: 418 });
    expect((await put('[{"phase": "decode", "kind": "melt"}]')).status).toBe(400);
    expect((await put('[{')).status).toBe(400);
    expect(cluster.faults.list()).toHaveLength(1);
    expect(await (await fetch(url, { method: 'DELETE' })).json()).toEqual([]);
    expect(cluster.faults.list()).toEqual([]);
  });
});

/** The texts of a stream, without ids and times that differ from answer to answer. */
function contents(text: string): string[] {
  return [...text.matchAll(/"text":"([^"]*)"/g)].map(([, content]) => content ?? '');
}
