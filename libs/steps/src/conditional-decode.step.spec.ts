import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ClientClosedError } from '#foundation';
import type { PipelineRequest, StepOutcome } from '#pipeline';
import { FakeUpstream, aRequest, json } from '#testing';
import type { Handler } from '#testing';
import { ConditionalDecodeStep, conditionalDecodeParams } from './conditional-decode.step.ts';
import { StepsBench, bytesOf, rendered } from './steps.fixture.ts';

let gateway: FakeUpstream;
let bench: StepsBench;

beforeEach(async () => {
  gateway = await FakeUpstream.start((_, response) => {
    json(response, '{}', 412);
  });
  bench = await StepsBench.start(gateway.url, { gateway: { timeout: '1s', decode_timeout: '20s' } });
});

afterEach(async () => {
  await bench.close();
  await gateway.close();
});

function probe(request: PipelineRequest = aRequest(), answer?: Handler): Promise<StepOutcome> {
  if (answer !== undefined) gateway.handler = answer;
  return bench.get(ConditionalDecodeStep).execute(request);
}

const breakOff: Handler = (_, response) => {
  response.destroy();
};

describe('ConditionalDecodeStep', () => {
  it.each(['chat', 'completions', 'responses', 'generate'] as const)(
    "asks decode on the client's path of %s whether it can serve at once",
    async (format) => {
      const scope = { id: 'req-9', headers: ['x-a', '1'] };
      const request = aRequest({ format, scope });
      await probe(request);
      expect(gateway.requests).toMatchObject([{ method: 'POST', path: request.path }]);
      expect(gateway.requests[0]?.headers).toMatchObject({
        'epp-profile': 'decode',
        prefer: 'if-available',
        'x-request-id': 'req-9',
        'content-type': 'application/json',
        'x-a': '1',
      });
    },
  );

  it("sends the client's body with the tokens, and nothing else", async () => {
    const request = aRequest({ body: '{"max_tokens":9,"stream":true,"messages":[]}' });
    await probe(await rendered(request, '{"token_ids": [9, 14]}'));
    expect(gateway.requests[0]?.body.toString()).toBe(
      '{"max_tokens":9,"stream":true,"messages":[],"tokens":{"token_ids":[9, 14]}}',
    );
  });

  it('goes on after 412, and uses its connection again', async () => {
    expect(await probe()).toEqual({ kind: 'next', findings: undefined });
    await probe();
    expect([gateway.requests.length, gateway.connections]).toEqual([2, 1]);
  });

  it.each([200, 201, 302, 400, 404, 429, 500, 503])('hands the answer %d on as it is', async (status) => {
    const outcome = await probe(aRequest(), (_, response) => {
      response.writeHead(status, { 'content-type': 'text/plain', 'x-of': 'the worker' }).end('{"id": "hit",  1.0}');
    });
    if (outcome.kind !== 'respond') throw new Error('the client is answered');
    expect(outcome.response).toMatchObject({ status, headers: { 'x-of': 'the worker' } });
    expect(await bytesOf(outcome.response)).toBe('{"id": "hit",  1.0}');
  });

  it.each([
    { what: 'the connection breaks', answer: breakOff },
    { what: 'no head comes in time', answer: (): void => undefined },
  ])('goes on when $what', async ({ answer }) => {
    expect(await probe(aRequest(), answer)).toEqual({ kind: 'next', findings: undefined });
  });

  it('goes on when nobody listens', async () => {
    await gateway.close();
    expect(await probe()).toEqual({ kind: 'next', findings: undefined });
  });

  it('waits no longer for a request that does not stream', async () => {
    const outcome = await probe(aRequest({ body: '{"stream":false}' }), () => undefined);
    expect(outcome.kind).toBe('next');
  });

  it('leaves off when the client leaves', async () => {
    const client = new AbortController();
    const probing = probe(aRequest({ scope: { signal: client.signal } }), () => undefined);
    await gateway.received(1);
    client.abort(new ClientClosedError());
    await expect(probing).rejects.toThrow(ClientClosedError);
    expect(await gateway.requests[0]?.aborted).toBe(true);
  });

  it('has no parameters', () => {
    expect(conditionalDecodeParams.parse({})).toEqual({});
    expect(conditionalDecodeParams.safeParse({ use_openai_format: false }).success).toBe(false);
  });
});
