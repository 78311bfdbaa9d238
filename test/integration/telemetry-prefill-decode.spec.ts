import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { cleanup } from '#testing';
import { stream } from './telemetry-cluster.fixture.ts';
import { aChat } from './telemetry-client.fixture.ts';
import type { ClientOptions } from './telemetry-client.fixture.ts';
import { ID, servedOne } from './telemetry-served.fixture.ts';
import { sharedCluster } from './telemetry-shared.fixture.ts';

const call = z.looseObject({
  upstream: z.string(),
  step: z.string(),
  status: z.number(),
  from_ms: z.number(),
  to_ms: z.number(),
});
const timeline = z.looseObject({
  execution_path: z.string(),
  calls: z.array(call),
  parts_ms: z.record(z.string(), z.number()),
});

const cluster = await sharedCluster();
const later = cleanup();

async function served(request: ClientOptions = {}, options: object = {}) {
  const pair = { steps: ['prefill-decode'], pipeline: { kv_connector: 'kv-sglang' } };
  const one = await servedOne(cluster, { ...pair, ...options }, { body: aChat(), ...request });
  later(() => one.own.close());
  return one;
}

/** So that both are under way at the same time. */
function prefillWaitsForDecode(): void {
  const isDecoding = Promise.withResolvers<undefined>();
  cluster.handlers.prefill = async (response) => {
    await isDecoding.promise;
    response.end('{}');
  };
  cluster.handlers.decode = async (response) => {
    isDecoding.resolve(undefined);
    await stream(response);
  };
}

describe('what telemetry tells of prefill-decode', () => {
  it('is a trace of a reservation, then prefill and decode beside each other, under one step', async () => {
    const { named, failed } = await served();
    const [step] = named('INTERNAL', 'prefill-decode');
    const calls = ['reserve-endpoint', 'prefill', 'decode'].map((name) => named('CLIENT', name));
    const [reserve, prefill, decode] = calls.flat();
    expect(calls.map(({ length }) => length)).toEqual([1, 1, 1]);
    if (reserve === undefined || prefill === undefined || decode === undefined) throw new Error('each is there');
    for (const { parentId } of [reserve, prefill, decode]) expect(parentId).toBe(step?.spanId);
    expect(reserve.attributes).toMatchObject({
      'llm_d.coordinator.phase': 'reserve-endpoint',
      'llm_d.coordinator.reserved_endpoint': '10.0.0.7:8000',
      'http.response.status_code': 204,
    });
    expect(failed).toEqual([]);
  });

  it('counts each call under its own name, and the way that the request went', async () => {
    const { metric } = await served();
    expect(await metric('upstream_request_total')).toEqual({
      'upstream="reserve-endpoint"': 1,
      'upstream="prefill"': 1,
      'upstream="decode"': 1,
    });
    expect(await metric('execution_path_total')).toEqual({ 'model_name="m",path="prefill-decode"': 1 });
    expect(await metric('kv_handoff_total')).toEqual({});
  });

  it('has the three calls in the timeline, prefill and decode beside each other', async () => {
    prefillWaitsForDecode();
    const { own } = await served();
    const { execution_path: path, calls } = timeline.parse(own.timeline(ID));
    expect([path, calls.map(({ upstream, step, status }) => [upstream, step, status])]).toEqual([
      'prefill-decode',
      [
        ['reserve-endpoint', 'prefill-decode', 204],
        ['prefill', 'prefill', 200],
        ['decode', 'decode', 200],
      ],
    ]);
    const [reserve, prefill, decode] = calls;
    expect(prefill?.from_ms).toBeGreaterThanOrEqual(reserve?.to_ms ?? Infinity);
    expect(decode?.from_ms).toBeLessThanOrEqual(prefill?.to_ms ?? -Infinity);
  });

  it('gives the time to the first token to prefill as long as that runs, the reservation with it', async () => {
    prefillWaitsForDecode();
    const { own } = await served();
    const { parts_ms: parts } = timeline.parse(own.timeline(ID));
    expect(parts['prefill']).toBeGreaterThan(0);
    expect(Object.keys(parts).toSorted()).toEqual(expect.arrayContaining(['coordinator', 'prefill', 'receive']));
  });

  it.each([2, 3, 4])('logs what was asked and answered at level 4 alone: level %i', async (logLevel) => {
    const headers = { authorization: 'Bearer SECRET', 'x-llm-d-pin-host-port': '10.6.6.6:1', 'x-request-id': ID };
    const { own } = await served({ headers, body: aChat({ messages: 'SECRET' }) }, { logLevel });
    const told = own.lines.filter(
      ({ upstream, logger }) => upstream === 'reserve-endpoint' || logger === 'prefill-decode',
    );
    expect(told.map(({ body, status, endpoint }) => [body, status ?? endpoint])).toEqual(
      logLevel < 4
        ? []
        : [
            ['call sent', undefined],
            ['call answered', 204],
            ['endpoint reserved', '10.0.0.7:8000'],
          ],
    );
    expect(JSON.stringify(own.lines)).not.toMatch(/SECRET|10\.6\.6\.6/);
  });
});
