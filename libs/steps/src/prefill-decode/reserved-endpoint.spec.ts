import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ClientClosedError, UpstreamConnectionError, UpstreamTimeoutError } from '#foundation';
import { aRequest } from '#testing';
import type { Handler } from '#testing';
import { PairBench, answering, reserved, silent } from './prefill-decode.fixture.ts';

const HEADER = 'x-llm-d-reserved-host-port';
const HINT = 'does the endpoint picker have the plugin reserve-endpoint?';

let bench: PairBench;

beforeEach(async () => {
  bench = await PairBench.start();
});

afterEach(async () => {
  await bench.close();
});

const saying =
  (status: number, headers: Record<string, string | string[]> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, headers).end();
  };

describe('a reservation', () => {
  it.each([400, 404, 412, 422, 429])(
    'that is refused with %d fails with it, and no further call is made',
    async (status) => {
      bench.on({ reserve: answering(status, '{"error":{"message":"secret"}}') });
      await expect(bench.run(aRequest())).rejects.toMatchObject({
        status,
        message: `prefill-decode rejected the request: HTTP ${status}`,
      });
      expect(bench.legs).toEqual(['reserve']);
    },
  );

  it.each([
    [500, 502],
    [502, 502],
    [503, 503],
    [504, 504],
  ])('that fails with %d fails with %d', async (status, seen) => {
    bench.on({ reserve: answering(status) });
    await expect(bench.run(aRequest())).rejects.toMatchObject({
      status: seen,
      message: `prefill-decode failed: HTTP ${status}`,
    });
    expect(bench.legs).toEqual(['reserve']);
  });

  it('that is refused for a while says for how long, and why', async () => {
    const relayed = { 'retry-after': '7', 'x-llm-d-request-dropped-reason': 'rejected-saturated' };
    bench.on({ reserve: saying(429, relayed) });
    await expect(bench.run(aRequest())).rejects.toMatchObject({ status: 429, relayed });
  });

  it.each([
    ['200', saying(200), `the reservation with 200 in place of 204: ${HINT}`],
    [
      '200 and an endpoint',
      saying(200, { [HEADER]: '10.0.0.7:1' }),
      `the reservation with 200 in place of 204: ${HINT}`,
    ],
    ['a redirect', saying(307, { location: 'http://10.0.0.9/' }), `the reservation with 307 in place of 204: ${HINT}`],
    ['204 alone', saying(204), `the reservation with no ${HEADER}: ${HINT}`],
  ])('that is answered %s fails and names the plugin', async (_, reserve, what) => {
    bench.on({ reserve });
    await expect(bench.run(aRequest())).rejects.toMatchObject({
      status: 502,
      code: 'upstream_invalid_answer',
      message: `prefill-decode answered ${what}`,
    });
    expect(bench.legs).toEqual(['reserve']);
  });

  it.each(['', '10.0.0.7', '10.0.0.7:', ':8000', '10.0.0.7:0', '10.0.0.7:65536', '::1', '[::1]', 'a:1,b:2', 'a:1/x'])(
    'of the endpoint %j fails and names the plugin',
    async (endpoint) => {
      bench.on({
        reserve: (_, response) => {
          reserved(response, endpoint);
        },
      });
      await expect(bench.run(aRequest())).rejects.toMatchObject({
        status: 502,
        message: `prefill-decode answered the reservation with a ${HEADER} that is no ip:port: ${HINT}`,
      });
      expect(bench.legs).toEqual(['reserve']);
    },
  );

  it('of several endpoints goes to the first', async () => {
    bench.on({ reserve: saying(204, { [HEADER]: ['10.0.0.7:1', '10.0.0.8:1'] }) });
    await bench.run(aRequest());
    expect(bench.leg('prefill').headers['x-llm-d-pin-host-port']).toBe('10.0.0.7:1');
  });

  it.each([
    ['breaks off', UpstreamConnectionError, ((_, response) => void response.destroy()) satisfies Handler],
    ['is not answered', UpstreamTimeoutError, silent],
  ])('that %s fails under the name of the step', async (_, error, reserve) => {
    await bench.close();
    bench = await PairBench.start({ gateway: { timeout: '1s' } });
    bench.on({ reserve });
    const failure = await bench.run(aRequest()).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(error);
    expect(failure).toMatchObject({ step: 'prefill-decode' });
    expect(bench.legs).toEqual(['reserve']);
  });

  it('is given up when the client leaves', async () => {
    bench.on({ reserve: silent });
    const client = new AbortController();
    const running = bench.run(aRequest({ scope: { signal: client.signal } }));
    await bench.gateway.received(1);
    client.abort(new ClientClosedError());
    await expect(running).rejects.toThrow(ClientClosedError);
    expect(await bench.leg('reserve').aborted).toBe(true);
    expect(bench.legs).toEqual(['reserve']);
  });
});
