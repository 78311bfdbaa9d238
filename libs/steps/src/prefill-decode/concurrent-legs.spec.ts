import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ClientClosedError,
  DrainingError,
  UpstreamAnswerError,
  UpstreamConnectionError,
  UpstreamError,
  UpstreamTimeoutError,
} from '#foundation';
import { GatewayClient } from '#gateway';
import type { ClientResponse } from '#pipeline';
import { aRequest } from '#testing';
import type { Handler, RecordedRequest } from '#testing';
import { bytesOf } from '../steps.fixture.ts';
import { runConcurrently } from './concurrent-legs.ts';
import { PairBench, answering, silent } from './prefill-decode.fixture.ts';

let bench: PairBench;

beforeEach(async () => {
  bench = await PairBench.start();
});

afterEach(async () => {
  await bench.close();
});

const breakOff: Handler = (_, response) => {
  response.destroy();
};

/** A handler that waits to be told how to answer. */
function held(): { handler: Handler; answer: (how: Handler) => void } {
  const how = Promise.withResolvers<Handler>();
  return {
    handler: async (request, response) => (await how.promise)(request, response),
    answer: how.resolve,
  };
}

/** Streams one event, and then what `more` says. */
const streaming =
  (more: Handler = silent): Handler =>
  (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    return more(request, response);
  };

/** What prefill may say that is a failure, and what it fails with. */
const PREFILL_FAILURES: readonly (readonly [what: string, answer: Handler, error: unknown, status: number])[] = [
  ['500', answering(500), UpstreamError, 502],
  ['503', answering(503), UpstreamError, 503],
  ['429', answering(429), UpstreamError, 429],
  ['204', (_, response) => void response.writeHead(204).end(), UpstreamError, 502],
  ['200 with an error', answering(200, '{"error":{"message":"x"}}'), UpstreamAnswerError, 502],
  ['200 that is no JSON', answering(200, 'data: {}\n\n'), UpstreamAnswerError, 502],
  ['a break of the connection', breakOff, UpstreamConnectionError, 502],
];

/** Both calls are there, wherever a failure comes from. */
async function bothSent(): Promise<{ prefill: RecordedRequest; decode: RecordedRequest }> {
  await bench.gateway.received(3);
  return { prefill: bench.leg('prefill'), decode: bench.leg('decode') };
}

describe('prefill that fails', () => {
  it.each(PREFILL_FAILURES)(
    'with %s before decode answers is what fails the request',
    async (_, how, error, status) => {
      const prefill = held();
      bench.on({ prefill: prefill.handler, decode: silent });
      const running = bench.run(aRequest()).catch((thrown: unknown) => thrown);
      const { decode } = await bothSent();
      prefill.answer(how);
      const failure = await running;
      expect(failure).toBeInstanceOf(error);
      expect(failure).toMatchObject({ step: 'prefill', status });
      expect(await decode.aborted).toBe(true);
    },
  );

  it('in the very turn in which decode answers is what fails the request', async () => {
    const { scope } = aRequest();
    const profile = 'decode';
    const call = { scope, upstream: profile, step: profile, profile, path: '/v1/completions', body: [] } as const;
    const reply = await bench.steps.get(GatewayClient).call(call);
    const failure = new Error('prefill failed');
    const running = runConcurrently(scope.signal, {
      prefill: () => Promise.reject(failure),
      decode: () => Promise.resolve(reply),
      prefillFailedLate: () => undefined,
    });
    await expect(running).rejects.toBe(failure);
  });

  it('by its silence fails the request', async () => {
    await bench.close();
    bench = await PairBench.start({ gateway: { timeout: '1s' } });
    bench.on({ prefill: silent, decode: silent });
    await expect(bench.run(aRequest())).rejects.toThrow(UpstreamTimeoutError);
    const { prefill, decode } = await bothSent();
    expect(await Promise.all([prefill.aborted, decode.aborted])).toEqual([true, true]);
  });

  it.each(PREFILL_FAILURES)('with %s while decode streams breaks the answer off', async (_, how, error, status) => {
    const prefill = held();
    bench.on({ prefill: prefill.handler, decode: streaming() });
    const response = await bench.run(aRequest({ body: '{"stream":true}' }));
    expect(response.status).toBe(200);
    const reading = bytesOf(response).catch((thrown: unknown) => thrown);
    prefill.answer(how);
    const failure = await reading;
    expect(failure).toBeInstanceOf(error);
    expect(failure).toMatchObject({ step: 'prefill', status });
    expect(await bench.leg('decode').aborted).toBe(true);
    // a failure of 5xx is logged by whoever ends the reply
    expect(bench.steps.complaints).toEqual(
      status >= 500 ? [] : [expect.objectContaining({ status, code: 'upstream_rejected' })],
    );
  });

  it('before anybody reads the answer breaks it off all the same', async () => {
    const prefill = held();
    bench.on({ prefill: prefill.handler, decode: streaming() });
    const response = await bench.run(aRequest({ body: '{"stream":true}' }));
    prefill.answer(answering(503));
    expect(await bench.leg('decode').aborted).toBe(true);
    await expect(bytesOf(response)).rejects.toMatchObject({ step: 'prefill', status: 503 });
  });

  it.each(PREFILL_FAILURES)(
    'with %s after decode has ended is logged, and the answer stands',
    async (_, how, _error, status) => {
      const prefill = held();
      bench.on({ prefill: prefill.handler });
      expect(await bytesOf(await bench.run(aRequest()))).toBe('{"id":"decoded"}');
      prefill.answer(how);
      await bench.complained(1);
      expect(bench.steps.complaints).toEqual([expect.objectContaining({ status })]);
    },
  );
});

describe('decode that fails', () => {
  it.each([302, 400, 412, 429, 500, 503])('with %d is relayed, and prefill is called off', async (status) => {
    bench.on({ prefill: silent, decode: answering(status, '{"of":"the worker"}') });
    const response = await bench.run(aRequest());
    expect([response.status, await bytesOf(response)]).toEqual([status, '{"of":"the worker"}']);
    expect(await bench.leg('prefill').aborted).toBe(true);
    expect(bench.steps.complaints).toEqual([]);
  });

  it('by breaking off before its head fails the request, and prefill is called off', async () => {
    bench.on({ prefill: silent, decode: breakOff });
    await expect(bench.run(aRequest())).rejects.toMatchObject({ code: 'upstream_unreachable', step: 'decode' });
    expect(await bench.leg('prefill').aborted).toBe(true);
  });

  it('by breaking off in its stream is a break, and prefill is called off', async () => {
    const rest = held();
    bench.on({ prefill: silent, decode: streaming(rest.handler) });
    const response = await bench.run(aRequest({ body: '{"stream":true}' }));
    rest.answer(breakOff);
    await expect(bytesOf(response)).rejects.toMatchObject({ code: 'upstream_unreachable', step: 'decode' });
    expect(await bench.leg('prefill').aborted).toBe(true);
    expect(bench.steps.complaints).toEqual([]);
  });

  it('after prefill did is not what fails the request', async () => {
    const decode = held();
    bench.on({ prefill: answering(503), decode: decode.handler });
    const running = bench.run(aRequest());
    await expect(running).rejects.toMatchObject({ step: 'prefill', status: 503 });
    decode.answer(answering(500));
  });
});

describe('a request that is given up', () => {
  it.each([new ClientClosedError(), new DrainingError()])(
    'while both workers are silent takes both calls along: %s',
    async (reason) => {
      bench.on({ prefill: silent, decode: silent });
      const client = new AbortController();
      const running = bench.run(aRequest({ scope: { signal: client.signal } }));
      const { prefill, decode } = await bothSent();
      client.abort(reason);
      await expect(running).rejects.toBe(reason);
      expect(await Promise.all([prefill.aborted, decode.aborted])).toEqual([true, true]);
      expect(bench.steps.complaints).toEqual([]);
    },
  );

  it('while decode streams takes both calls along', async () => {
    bench.on({ prefill: silent, decode: streaming() });
    const client = new AbortController();
    const reason = new ClientClosedError();
    const response: ClientResponse = await bench.run(
      aRequest({ body: '{"stream":true}', scope: { signal: client.signal } }),
    );
    const reading = bytesOf(response).catch((thrown: unknown) => thrown);
    client.abort(reason);
    expect(await reading).toBe(reason);
    const { prefill, decode } = await bothSent();
    expect(await Promise.all([prefill.aborted, decode.aborted])).toEqual([true, true]);
    expect(bench.steps.complaints).toEqual([]);
  });
});

describe('prefill that is slower than decode', () => {
  it('is not called off, and its answer is read to the end', async () => {
    const prefill = held();
    bench.on({ prefill: prefill.handler });
    expect(await bytesOf(await bench.run(aRequest()))).toBe('{"id":"decoded"}');
    prefill.answer(answering(200));
    expect(await bench.leg('prefill').aborted).toBe(false);
    expect(bench.steps.complaints).toEqual([]);
  });
});
