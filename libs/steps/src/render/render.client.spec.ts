import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ClientClosedError, UpstreamConnectionError, UpstreamTimeoutError } from '#foundation';
import { joinRope } from '#json';
import type { PipelineRequest } from '#pipeline';
import { FakeUpstream, aRequest, json } from '#testing';
import { StepsBench } from '../steps.fixture.ts';
import { RenderClient } from './render.client.ts';
import type { Rendered } from './render.client.ts';
import { renderParams } from './render.params.ts';

let upstream: FakeUpstream;
let bench: StepsBench;
let address: string;

beforeEach(async () => {
  upstream = await FakeUpstream.start((_, response) => {
    json(response, '{"token_ids":[9]}');
  });
  address = upstream.url;
  bench = await StepsBench.start('http://gateway.invalid');
});

afterEach(async () => {
  await bench.close();
  await upstream.close();
});

function render(request: PipelineRequest, params: object = {}): Promise<Rendered> {
  return bench.get(RenderClient).render(request, renderParams.parse({ address, ...params }));
}

describe('RenderClient', () => {
  it('posts the body with every change in it', async () => {
    const request = aRequest({ body: '{"model":"m","seed":9007199254740993,"messages":[]}' });
    const body = request.body.set('x', [Buffer.from('1.0')]);
    await render({ ...request, body });
    expect(upstream.requests).toMatchObject([{ method: 'POST', path: '/v1/chat/completions/render' }]);
    expect(upstream.requests[0]?.body.toString()).toBe(joinRope(body.toRope()).toString());
  });

  it("sends the client's headers, the request id and the trace, and no profile", async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const scope = {
      id: 'req-7',
      headers: ['authorization', 'Bearer k', 'x-custom', '1'],
      trace: { traceparent },
      revisionId: 'rev',
    };
    await render(aRequest({ scope, findings: { relayedHeaders: { 'x-llm-d-disagg-revision': 'r1' } } }));
    const { host, connection, 'content-length': length, ...headers } = upstream.requests[0]?.headers ?? {};
    expect([host, connection, length]).not.toContain(undefined);
    expect(headers).toEqual({
      authorization: 'Bearer k',
      'x-custom': '1',
      'content-type': 'application/json',
      'x-llm-d-disagg-revision': 'r1',
      'x-llm-d-revision-decision-id': 'rev',
      'x-request-id': 'req-7',
      traceparent,
    });
  });

  it('puts the path behind that of the address', async () => {
    await render(aRequest(), { address: `${address}/base/` });
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/base/v1/chat/completions/render']);
  });

  it.each([
    ['the head', (): void => undefined],
    [
      'the rest of the body',
      (response: { write(text: string): unknown }): void => void response.write('{"token_ids":'),
    ],
  ])('gives up when %s does not come in time', async (_, answer) => {
    upstream.handler = (_request, response) => {
      answer(response);
    };
    await expect(render(aRequest(), { timeout: '300ms' })).rejects.toThrow(UpstreamTimeoutError);
    expect(await upstream.requests[0]?.aborted).toBe(true);
  });

  it('says that render could not be reached', async () => {
    await upstream.close();
    await expect(render(aRequest())).rejects.toThrow(UpstreamConnectionError);
  });

  it('says that render broke off', async () => {
    upstream.handler = (_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"token_ids":[9]}');
      response.destroy();
    };
    await expect(render(aRequest())).rejects.toThrow(UpstreamConnectionError);
  });

  it('lets go of render when the client leaves', async () => {
    upstream.handler = () => undefined;
    const client = new AbortController();
    const rendering = render(aRequest({ scope: { signal: client.signal } }));
    await upstream.received(1);
    client.abort(new ClientClosedError());
    await expect(rendering).rejects.toThrow(ClientClosedError);
    expect(await upstream.requests[0]?.aborted).toBe(true);
  });
});
