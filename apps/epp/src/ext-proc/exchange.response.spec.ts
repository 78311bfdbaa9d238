import { describe, expect, it } from '@jest/globals';
import { encodeStruct } from '#ext-proc';
import { CHAT, Conversation, STREAMED_CHAT, headerMap, responseBody, responseHeaders } from './exchange.fixture.ts';

const SSE = { 'content-type': 'text/event-stream; charset=utf-8' };
const USAGE = '{"usage":{"prompt_tokens":5,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":2}}}';

async function answered(request: string, headers: Readonly<Record<string, string>> = {}): Promise<Conversation> {
  const talk = new Conversation();
  await talk.request(request, headers);
  return talk;
}

describe('Exchange: headers of an answer', () => {
  it('are answered at once and written back, but for the length and what is the picker’s own', async () => {
    const talk = await answered(CHAT);
    await talk.say(responseHeaders({ 'content-length': '5', 'x-worker': 'a', 'x-llm-d-request-dropped-reason': 'x' }));
    expect(talk.responseHeaders).toEqual({ 'x-went-into-resp-headers': 'true', ':status': '200', 'x-worker': 'a' });
  });

  it('never hold headers of one connection', async () => {
    const talk = await answered(CHAT);
    await talk.say(
      responseHeaders({
        'transfer-encoding': 'chunked',
        connection: 'keep-alive, x-foo',
        'keep-alive': 'timeout=5',
        te: 'trailers',
        'x-foo': '1',
      }),
    );
    for (let chunk = 0; chunk < 5; chunk++) await talk.say(responseBody('x', chunk === 4));
    expect(talk.responseHeaders).toEqual({ 'x-went-into-resp-headers': 'true', ':status': '200' });
    expect(talk.body('response_body')).toBe('xxxxx');
  });

  it('leave a header that came twice as it is', async () => {
    const talk = await answered(CHAT);
    const { headers = [] } = headerMap({ 'set-cookie': 'a=1' });
    await talk.say({ response_headers: { headers: { headers: [...headers, ...headers] } } });
    expect(talk.responseHeaders).not.toHaveProperty('set-cookie');
  });

  it.each([
    [{ ':status': '503' }, 503],
    [{ status: '404' }, 404],
    [{}, undefined],
  ])('tell the status in %j', async (headers, status) => {
    const talk = await answered(CHAT);
    await talk.say({ response_headers: { headers: headerMap(headers) } });
    expect(talk.seen.answer?.status).toBe(status);
  });

  it('tell the endpoint that answered, where Envoy does', async () => {
    const talk = await answered(CHAT);
    const served = encodeStruct({ 'x-gateway-destination-endpoint-served': '10.0.0.1:8000' });
    await talk.say({ ...responseHeaders({}), metadata_context: { filter_metadata: { 'envoy.lb': served } } });
    expect(talk.seen.answer?.served).toBe('10.0.0.1:8000');
  });

  it('end an answer that has no body', async () => {
    const talk = await answered(CHAT);
    await talk.say(responseHeaders({}, true));
    expect(talk.picker.inFlight.ends).toEqual(['natural']);
  });
});

describe('Exchange: a streamed answer', () => {
  it.each([
    ['the request asks for a stream', STREAMED_CHAT, {}],
    ['the worker says that it is one', CHAT, SSE],
  ])('passes chunk by chunk where %s', async (_, request, headers) => {
    const talk = await answered(request);
    await talk.say(responseHeaders(headers));
    await talk.say(responseBody('data: 1\n\n'));
    expect(talk.body('response_body')).toBe('data: 1\n\n');
    await talk.say(responseBody('data: [DONE]\n\n', true));
    expect(talk.pieces('response_body').map(({ isLast }) => isLast)).toEqual([false, true]);
  });

  it('cuts a large chunk, and copies its end to the last piece', async () => {
    const talk = await answered(STREAMED_CHAT);
    await talk.say(responseHeaders(SSE));
    await talk.say(responseBody(Buffer.alloc(70_000), true));
    expect(talk.pieces('response_body').map(({ bytes, isLast }) => [bytes.length, isLast])).toEqual([
      [62_000, false],
      [8_000, true],
    ]);
  });

  it('tells the usage of the last data line once, behind all chunks', async () => {
    const talk = await answered(STREAMED_CHAT);
    await talk.say(responseHeaders(SSE));
    await talk.say(responseBody('data: {"usage":null}\n\n'));
    await talk.say(responseBody(`data: ${USAGE.slice(0, 20)}`));
    await talk.say(responseBody(`${USAGE.slice(20)}\n`));
    await talk.say(responseBody('\ndata: [DONE]\n\n', true));
    expect(talk.seen.usages).toEqual([{ inputTokens: 5, outputTokens: 7, cachedTokens: 2 }]);
    expect(talk.seen.events).toEqual([
      'received',
      ...['began', 'read', 'cycle', 'cycle ended', 'preparing', 'prepared'],
      'scheduled',
      'sent',
      'response headers',
      'first byte',
      ...['chunk 22', 'handled'],
      ...['chunk 26', 'handled'],
      ...[`chunk ${USAGE.length - 19}`, 'handled'],
      'chunk 15',
      'usage',
      'ended natural',
    ]);
  });

  it('tells plugins of the first chunk once', async () => {
    const talk = await answered(STREAMED_CHAT);
    await talk.say(responseHeaders(SSE));
    await talk.say(responseBody(''));
    expect(talk.picker.inFlight.firstChunks).toBe(0);
    await talk.say(responseBody('data: 1\n\n'));
    await talk.say(responseBody('data: 2\n\n', true));
    expect(talk.picker.inFlight.firstChunks).toBe(1);
  });

  it('gives the client’s model name back in each chunk, in the form that the worker writes', async () => {
    const talk = await answered('{"model":"known","stream":true}', { 'x-llm-d-model-name-rewrite': 'served' });
    await talk.say(responseHeaders(SSE));
    await talk.say(responseBody('data: {"model":"served","x":{"model":"served"}}\n\n'));
    await talk.say(responseBody('data: {"model": "served"}\n\n'));
    await talk.say(responseBody('data: {"model":"served","y":{"model": "served"}}\n\n', true));
    expect(talk.body('response_body')).toBe(
      'data: {"model":"known","x":{"model":"known"}}\n\n' +
        'data: {"model": "known"}\n\n' +
        'data: {"model":"known","y":{"model": "served"}}\n\n',
    );
  });

  it('is completed by trailers where no chunk was the last', async () => {
    const talk = await answered(STREAMED_CHAT);
    await talk.say(responseHeaders(SSE));
    await talk.say(responseBody('data: 1\n\n'));
    await talk.say({ response_trailers: {} });
    expect(talk.kinds.slice(2)).toEqual(['response_headers', 'response_body', 'response_trailers']);
    expect(talk.picker.inFlight.ends).toEqual(['natural']);
  });
});

describe('Exchange: an answer in one piece', () => {
  it('is held until it is whole', async () => {
    const talk = await answered(CHAT);
    await talk.say(responseHeaders({ 'content-type': 'application/json' }));
    await talk.say(responseBody(USAGE.slice(0, 10)));
    expect(talk.pieces('response_body')).toEqual([]);
    await talk.say(responseBody(USAGE.slice(10), true));
    expect(talk.body('response_body')).toBe(USAGE);
    expect(talk.pieces('response_body').map(({ isLast }) => isLast)).toEqual([true]);
    expect(talk.seen.usages).toEqual([{ inputTokens: 5, outputTokens: 7, cachedTokens: 2 }]);
  });

  it('gets the client’s model name back', async () => {
    const talk = await answered(CHAT, { 'x-llm-d-model-name-rewrite': 'served' });
    await talk.say(responseHeaders({}));
    await talk.say(responseBody('{"mod'));
    await talk.say(responseBody('el":"served"}', true));
    expect(talk.body('response_body')).toBe('{"model":"m"}');
  });

  it('is sent without an end where trailers follow', async () => {
    const talk = await answered(CHAT);
    await talk.say(responseHeaders({}));
    await talk.say(responseBody('{}'));
    await talk.say({ response_trailers: {} });
    expect(talk.kinds.slice(2)).toEqual(['response_headers', 'response_body', 'response_trailers']);
    expect(talk.pieces('response_body').map(({ isLast }) => isLast)).toEqual([false]);
  });

  it('is the end of the request once, whatever comes behind it', async () => {
    const talk = await answered(CHAT);
    await talk.say(responseHeaders({}));
    await talk.say(responseBody('{}', true));
    await talk.say({ response_trailers: {} });
    talk.exchange.end('error');
    expect(talk.picker.inFlight.ends).toEqual(['natural']);
    expect(talk.seen.events.filter((event) => event.startsWith('ended'))).toEqual(['ended natural']);
  });
});

describe('Exchange: an answer to a request that was not seen', () => {
  it('passes', async () => {
    const talk = new Conversation();
    await talk.say(responseHeaders({}));
    await talk.say(responseBody('{"model":"m"}', true));
    await talk.say({ response_trailers: {} });
    expect(talk.kinds).toEqual(['response_headers', 'response_body', 'response_trailers']);
    expect(talk.body('response_body')).toBe('{"model":"m"}');
  });
});
