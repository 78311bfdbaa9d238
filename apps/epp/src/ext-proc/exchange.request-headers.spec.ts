import { describe, expect, it } from '@jest/globals';
import { CHAT, Conversation, headerMap, requestBody } from './exchange.fixture.ts';
import { ALWAYS_DISAGGREGATED, ANY, DISAGGREGATED, aPicker, aPod } from '../picker.fixture.ts';

const DESTINATION = 'x-gateway-destination-endpoint';
const REASON = 'x-llm-d-request-dropped-reason';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('Exchange: headers of a request', () => {
  it('makes a request id where there is none', async () => {
    const talk = new Conversation();
    await talk.request(CHAT);
    expect(talk.requestHeaders['x-request-id']).toMatch(UUID);
  });

  it.each(['x-request-id', 'X-Request-Id'])('keeps the id in %s', async (name) => {
    const talk = new Conversation();
    await talk.request(CHAT, { [name]: 'mine' });
    expect(talk.requestHeaders['x-request-id']).toBe('mine');
  });

  it('writes back what is not its own, pseudo headers too', async () => {
    const talk = new Conversation();
    await talk.request(CHAT, { 'EPP-Profile': 'decode', 'x-mine': 'mine' });
    expect(talk.requestHeaders).toMatchObject({
      ':path': '/v1/chat/completions',
      'epp-profile': 'decode',
      'x-mine': 'mine',
    });
  });

  it('leaves a header that came several times as Envoy has it: its last value would take the place of all', async () => {
    const talk = new Conversation();
    const { headers = [] } = headerMap({ ':path': '/v1/completions', 'x-mine': 'first' });
    const again = { key: 'X-Mine', value: 'last', raw_value: Buffer.alloc(0) };
    await talk.say({ request_headers: { headers: { headers: [...headers, again] } } });
    await talk.say(requestBody(CHAT, true));
    expect(talk.requestHeaders).not.toHaveProperty('x-mine');
    expect(talk.removed).not.toContain('x-mine');
  });

  it('leaves a header whose bytes are no UTF-8 as Envoy has it', async () => {
    const talk = new Conversation();
    const { headers = [] } = headerMap({ ':path': '/v1/completions' });
    const latin = { key: 'x-name', raw_value: Buffer.from([0xe9]) };
    await talk.say({ request_headers: { headers: { headers: [...headers, latin] } } });
    await talk.say(requestBody(CHAT, true));
    expect(talk.requestHeaders).not.toHaveProperty('x-name');
    expect(talk.removed).not.toContain('x-name');
  });

  it('takes away what a client says in the picker’s words, and never writes it back', async () => {
    const talk = new Conversation();
    const words = [
      'x-llm-d-inference-fairness-id',
      'x-llm-d-video-fps',
      'x-gateway-destination-endpoint-served',
      REASON,
    ];
    await talk.request(CHAT, Object.fromEntries(words.map((name) => [name, '1'])));
    expect([...talk.removed].sort()).toEqual([...words].sort());
    for (const name of words) expect(talk.requestHeaders).not.toHaveProperty(name);
  });

  it('overwrites a destination that the client sent', async () => {
    const talk = new Conversation();
    await talk.request(CHAT, { [DESTINATION]: '10.9.9.9:80' });
    expect(talk.requestHeaders[DESTINATION]).toBe('10.0.0.1:8000');
    expect(talk.removed).not.toContain(DESTINATION);
  });

  it.each([
    ['no handler writes it', ANY],
    ['the decider says no', DISAGGREGATED],
  ])('keeps a client’s x-prefiller-host-port from the worker where %s', async (_, config) => {
    const talk = new Conversation(aPicker(config, [aPod('decode', '10.0.0.1'), aPod('prefill', '10.0.0.2')]));
    await talk.request(CHAT, { 'x-prefiller-host-port': '10.9.9.9:80' });
    expect(talk.requestHeaders).not.toHaveProperty('x-prefiller-host-port');
    expect(talk.removed).toContain('x-prefiller-host-port');
  });

  it('writes the prefiller that a handler chose over the one that the client sent', async () => {
    const pods = [aPod('decode', '10.0.0.1'), aPod('prefill', '10.0.0.2')];
    const talk = new Conversation(aPicker(ALWAYS_DISAGGREGATED, pods));
    await talk.request(CHAT, { 'x-prefiller-host-port': '10.9.9.9:80' });
    expect(talk.requestHeaders['x-prefiller-host-port']).toBe('10.0.0.2:8000');
    expect(talk.removed).not.toContain('x-prefiller-host-port');
  });

  it('never writes back headers of one connection', async () => {
    const talk = new Conversation();
    await talk.request(CHAT, {
      connection: 'keep-alive, x-foo',
      'keep-alive': 'timeout=5',
      te: 'trailers',
      'x-foo': '1',
    });
    for (const name of ['connection', 'keep-alive', 'te', 'x-foo'])
      expect(talk.requestHeaders).not.toHaveProperty(name);
  });

  it.each([{ 'content-length': '999' }, { 'transfer-encoding': 'chunked' }])(
    'has one framing where the client sent %j',
    async (framing) => {
      const talk = new Conversation();
      await talk.request(CHAT, framing);
      const names = Object.keys(talk.requestHeaders).map((name) => name.toLowerCase());
      expect(names.filter((name) => name === 'content-length')).toHaveLength(1);
      expect(talk.requestHeaders['Content-Length']).toBe(String(CHAT.length));
      expect(talk.removed.includes('transfer-encoding')).toBe('transfer-encoding' in framing);
    },
  );

  it('carries our trace headers in the place of the client’s', async () => {
    const talk = new Conversation();
    talk.seen.trace = new Map([['traceparent', 'ours']]);
    await talk.request(CHAT, { Traceparent: 'theirs' });
    const traces = talk.sent[0]?.request_headers?.response.header_mutation.set_headers.filter(
      ({ header }) => header.key === 'traceparent',
    );
    expect(traces?.map(({ header }) => header.raw_value.toString())).toEqual(['ours']);
  });
});

describe('Exchange: a model rewrite', () => {
  it('puts the other model into the body, with the length that it has then', async () => {
    const talk = new Conversation();
    await talk.request('{ "model": "known", "messages": "é" }', { 'x-llm-d-model-name-rewrite': 'served' });
    const body = talk.body('request_body');
    expect(JSON.parse(body)).toEqual({ model: 'served', messages: 'é' });
    expect(talk.requestHeaders['Content-Length']).toBe(String(Buffer.byteLength(body)));
    expect(talk.removed).toContain('x-llm-d-model-name-rewrite');
  });
});
