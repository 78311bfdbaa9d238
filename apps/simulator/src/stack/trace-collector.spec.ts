import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { aSpan } from '../testing/a-span.ts';
import { EXPORT_DELAY_MS } from './otlp-receiver.ts';
import { SHOWN, WORKER } from './span-attributes.ts';
import { TraceCollector } from './trace-collector.ts';
import type { RequestTrace } from './trace-collector.ts';

const server = { isServer: true, attributes: { [SHOWN.requestId]: 'r-1' } };

describe('TraceCollector', () => {
  it('gives a request when its server span has come, with spans that came before and soon after', async () => {
    const { collector, next } = collected();
    collector.add([aSpan('step', 'pipeline', [1, 5])]);
    collector.add([aSpan('pipeline', 'root', [0, 9]), aSpan('root', 'client', [0, 10], server)]);
    collector.add([aSpan('late', 'step', [2, 11])]);
    const { root, spans } = await next();
    expect(root.spanId).toBe('root');
    expect(spans.map(({ spanId }) => spanId)).toEqual(['pipeline', 'step', 'late']);
  });

  it('tells two requests of one trace apart', async () => {
    const { collector, next } = collected();
    collector.add([
      aSpan('a', undefined, [0, 5]),
      aSpan('of-a', 'root-a', [0, 4]),
      aSpan('root-a', 'a', [0, 5], server),
    ]);
    collector.add([aSpan('of-b', 'root-b', [5, 8]), aSpan('root-b', 'a', [5, 9], server)]);
    expect([await next(), await next()].map(({ spans }) => spans.map(({ spanId }) => spanId))).toEqual([
      ['of-a'],
      ['of-b'],
    ]);
  });

  it('takes the server span of somebody who was called for a part of the request', async () => {
    const { collector, next } = collected();
    collector.add([
      aSpan('pick', 'gateway.request', [2, 3]),
      aSpan('gateway.request', 'call', [2, 7], { isServer: true }),
    ]);
    collector.add([aSpan('call', 'root', [1, 8]), aSpan('root', undefined, [0, 10], server)]);
    const { root, spans } = await next();
    expect([root.spanId, ...spans.map(({ spanId }) => spanId)]).toEqual(['root', 'call', 'gateway.request', 'pick']);
  });

  it('has a queued request wait for its worker, whose request is a part of it', async () => {
    const { collector, next } = collected();
    const served = { isServer: true, attributes: { [SHOWN.requestId]: 'r-2' } };
    collector.add([aSpan('enqueue', 'root', [1, 2]), aSpan('root', 'client', [0, 3], server)]);
    collector.add([aSpan('decode', 'served', [6, 8]), aSpan('served', 'worker', [5, 9], served)]);
    await setTimeout(5 * EXPORT_DELAY_MS);
    collector.add([aSpan('first try', 'enqueue', [4, 5], { attributes: { [WORKER.outcome]: 'retried' } })]);
    await setTimeout(5 * EXPORT_DELAY_MS);
    collector.add([aSpan('worker', 'enqueue', [4, 10], { attributes: { [WORKER.outcome]: 'delivered' } })]);
    const { root, spans } = await next();
    expect([root, ...spans].map(({ spanId }) => spanId)).toEqual([
      ...['root', 'enqueue', 'first try', 'worker', 'served', 'decode'],
    ]);
  });

  it('has a request that could not be queued wait for nobody', async () => {
    const { collector, next } = collected();
    collector.add([aSpan('enqueue', 'root', [1, 2], { error: 'offline' }), aSpan('root', undefined, [0, 3], server)]);
    expect((await next()).spans.map(({ spanId }) => spanId)).toEqual(['enqueue']);
  });

  it('tells traces apart, though their span ids be the same', async () => {
    const { collector, next } = collected();
    collector.add([aSpan('step', 'root', [0, 1], { traceId: 't-2' })]);
    collector.add([aSpan('root', undefined, [0, 5], server)]);
    expect((await next()).spans).toEqual([]);
  });
});

/** A collector, and what comes out of it, one by one. */
function collected(): { collector: TraceCollector; next: () => Promise<RequestTrace> } {
  const traces: RequestTrace[] = [];
  let wake = (): void => undefined;
  const collector = new TraceCollector((trace) => {
    traces.push(trace);
    wake();
  });
  const next = async (): Promise<RequestTrace> => {
    const trace = traces.shift();
    if (trace !== undefined) return trace;
    await new Promise<void>((resolve) => (wake = resolve));
    return next();
  };
  return { collector, next };
}
