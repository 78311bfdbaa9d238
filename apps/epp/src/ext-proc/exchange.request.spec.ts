import { describe, expect, it } from '@jest/globals';
import { CHAT, Conversation, requestBody, requestHeaders } from './exchange.fixture.ts';
import { ANY, aPicker, anEndpoint } from '../picker.fixture.ts';

const DESTINATION = 'x-gateway-destination-endpoint';

describe('Exchange: a request with a body', () => {
  it('answers nothing before the last piece, then the headers, then the body', async () => {
    const talk = new Conversation();
    await talk.say(requestHeaders({ ':path': '/v1/chat/completions' }));
    await talk.say(requestBody(CHAT.slice(0, 10), false));
    await talk.say(requestBody(CHAT.slice(10, 30), false));
    expect(talk.kinds).toEqual([]);
    await talk.say(requestBody(CHAT.slice(30), true));
    expect(talk.kinds).toEqual(['request_headers', 'request_body']);
    expect(talk.body('request_body')).toBe(CHAT);
  });

  it('names the same destination in the header and in the metadata, and has the route chosen anew', async () => {
    const talk = new Conversation();
    await talk.request(CHAT);
    expect(talk.requestHeaders[DESTINATION]).toBe('10.0.0.1:8000');
    expect(talk.metadata).toEqual({ 'envoy.lb': { [DESTINATION]: '10.0.0.1:8000' } });
    expect(talk.sent[0]?.request_headers?.response.clear_route_cache).toBe(true);
  });

  it('writes an IPv6 destination in brackets', async () => {
    const talk = new Conversation(aPicker(ANY, [anEndpoint('pod', '::1')]));
    await talk.request(CHAT);
    expect(talk.requestHeaders[DESTINATION]).toBe('[::1]:8000');
  });

  it('adds the scores of the endpoints to the metadata where it is asked to', async () => {
    const talk = new Conversation(undefined, { emitsScores: true });
    await talk.request(CHAT);
    expect(talk.metadata['envoy.lb']).toEqual({
      [DESTINATION]: '10.0.0.1:8000',
      [`${DESTINATION}-scores`]: { '10.0.0.1:8000': 0 },
    });
  });

  it('cuts a body of 130 000 bytes into 62 000, 62 000 and 6 000, and only the last is the end', async () => {
    const body = `{"model":"m","messages":"${'x'.repeat(130_000 - 27)}"}`;
    const talk = new Conversation();
    await talk.request(body);
    expect(talk.pieces('request_body').map(({ bytes, isLast }) => [bytes.length, isLast])).toEqual([
      [62_000, false],
      [62_000, false],
      [6_000, true],
    ]);
    expect(talk.body('request_body')).toBe(body);
  });

  it('joins pieces that are cut inside a character, the last of them empty', async () => {
    const body = Buffer.from('{"model":"m","messages":"é"}');
    const cut = body.indexOf(0xc3) + 1;
    const talk = new Conversation();
    await talk.say(requestHeaders({ ':path': '/v1/chat/completions' }));
    await talk.say(requestBody(body.subarray(0, cut), false));
    await talk.say(requestBody(body.subarray(cut), false));
    await talk.say({ request_body: { end_of_stream: true } });
    expect(talk.body('request_body')).toBe(body.toString());
    expect(talk.pieces('request_body').filter(({ isLast }) => isLast)).toHaveLength(1);
  });

  it('sends an empty body as one empty piece', async () => {
    const talk = new Conversation();
    await talk.say(requestHeaders({ ':path': '/anything' }));
    await talk.say(requestBody('', true));
    expect(talk.pieces('request_body')).toEqual([{ bytes: Buffer.alloc(0), isLast: true }]);
    expect(talk.requestHeaders).not.toHaveProperty('Content-Length');
  });

  it('takes trailers for the end of a body, and then marks no piece as the last', async () => {
    const talk = new Conversation();
    await talk.say(requestHeaders({ ':path': '/v1/chat/completions' }));
    await talk.say(requestBody(CHAT, false));
    await talk.say({ request_trailers: {} });
    expect(talk.kinds).toEqual(['request_headers', 'request_body', 'request_trailers']);
    expect(talk.pieces('request_body').map(({ isLast }) => isLast)).toEqual([false]);
  });

  it('says nothing to trailers behind the end', async () => {
    const talk = new Conversation();
    await talk.request(CHAT);
    await talk.say({ request_trailers: {} });
    expect(talk.kinds).toEqual(['request_headers', 'request_body']);
  });

  it('fails where Envoy sends a body and no headers', async () => {
    await expect(new Conversation().say(requestBody(CHAT, true))).rejects.toThrow('request_header_mode');
  });
});

describe('Exchange: a request without a body', () => {
  it('is sent anywhere at once, without a length', async () => {
    const talk = new Conversation();
    await talk.say(requestHeaders({ ':method': 'GET', 'x-prefiller-host-port': '10.9.9.9:80' }, true));
    expect(talk.kinds).toEqual(['request_headers']);
    expect(talk.requestHeaders).toEqual({ [DESTINATION]: '10.0.0.1:8000' });
    expect(talk.metadata).toEqual({ 'envoy.lb': { [DESTINATION]: '10.0.0.1:8000' } });
    expect(talk.removed).toEqual(['x-prefiller-host-port']);
  });

  it('is refused with 500 where there are no endpoints', async () => {
    const talk = new Conversation(aPicker(ANY, []));
    expect(await talk.say(requestHeaders({ ':method': 'GET' }, true))).toBe(false);
    expect(talk.immediate).toMatchObject({
      status: 500,
      body: 'inference error: Internal - no pods available in datastore',
    });
  });
});
