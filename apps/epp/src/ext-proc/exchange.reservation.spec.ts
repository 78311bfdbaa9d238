import { describe, expect, it } from '@jest/globals';
import { CHAT, Conversation, POD, headerMap, requestBody, requestHeaders } from './exchange.fixture.ts';
import { ANY, aPicker, anEndpoint, pickerConfig } from '../picker.fixture.ts';

const DESTINATION = 'x-gateway-destination-endpoint';
const PIN = 'x-llm-d-pin-host-port';
const RESERVE = { prefer: 'reserve-endpoint' };
const RESERVING = pickerConfig(
  'plugins: [{type: reserve-endpoint}, {type: inflight-load-producer}, {type: max-score-picker}]',
);
const SIX = anEndpoint('six', 'fd00::1');

describe('Exchange: Prefer: reserve-endpoint', () => {
  it.each([
    [POD, '10.0.0.1:8000'],
    [SIX, '[fd00::1]:8000'],
  ])('is answered 204 with the endpoint, and the exchange is over', async (pod, endpoint) => {
    const talk = new Conversation(aPicker(RESERVING, [pod]));
    expect(await talk.request(CHAT, RESERVE)).toBe(false);
    expect(talk.kinds).toEqual(['immediate_response']);
    expect(talk.immediate).toEqual({
      status: 204,
      body: '',
      headers: { 'x-llm-d-reserved-host-port': endpoint, 'preference-applied': 'reserve-endpoint' },
    });
    const ways = ['received', 'began', 'read', 'cycle', 'cycle ended'];
    expect(talk.seen.events).toEqual([...ways, 'reserved', 'ended natural']);
  });

  it('names the best of several endpoints', async () => {
    const config = RESERVING.replace('max-score-picker}', 'max-score-picker, parameters: {maxNumOfEndpoints: 2}}');
    const talk = new Conversation(aPicker(config, [POD, SIX]));
    await talk.request(CHAT, RESERVE);
    expect(['10.0.0.1:8000', '[fd00::1]:8000']).toContain(talk.immediate.headers['x-llm-d-reserved-host-port']);
  });

  it('leaves nothing behind in the picker, and says no end of it', async () => {
    const picker = aPicker(RESERVING, [POD]);
    const talk = new Conversation(picker);
    await talk.request(CHAT, RESERVE);
    talk.exchange.end('error');
    expect(picker.inFlight).toMatchObject({ inFlight: 0, ends: [] });
    expect(talk.seen.events.filter((event) => event.startsWith('ended'))).toEqual(['ended natural']);
  });

  it('is found on any of several lines', async () => {
    const talk = new Conversation(aPicker(RESERVING, [POD]));
    const { headers = [] } = headerMap({ ':path': '/v1/completions', prefer: 'return=minimal' });
    const again = headerMap({ Prefer: 'RESERVE-ENDPOINT;x=1' }).headers ?? [];
    await talk.say({ request_headers: { headers: { headers: [...headers, ...again] } } });
    await talk.say(requestBody(CHAT, true));
    expect(talk.immediate.status).toBe(204);
  });

  it('is answered once where trailers end the request', async () => {
    const talk = new Conversation(aPicker(RESERVING, [POD]));
    await talk.say(requestHeaders({ ':path': '/v1/completions', ...RESERVE }));
    await talk.say(requestBody(CHAT, false));
    expect(await talk.say({ request_trailers: {} })).toBe(false);
    expect(talk.kinds).toEqual(['immediate_response']);
  });

  it('is refused as any request where nobody is there', async () => {
    const talk = new Conversation(aPicker(RESERVING, []));
    await talk.request(CHAT, RESERVE);
    expect(talk.immediate).toMatchObject({
      status: 503,
      headers: { 'x-llm-d-request-dropped-reason': 'rejected-no-endpoints' },
    });
  });

  it('says nothing to a client that has gone', async () => {
    const talk = new Conversation(aPicker(RESERVING, [POD]));
    await talk.say(requestHeaders({ ':path': '/v1/completions', ...RESERVE }));
    const answer = talk.say(requestBody(CHAT, true));
    talk.exchange.end('client_disconnect');
    await answer;
    expect(talk.sent).toEqual([]);
    expect(talk.seen.events.at(-1)).toBe('ended client_disconnect');
  });

  describe('without the plugin', () => {
    it('is sent on as any request, without the wish, which is for the picker', async () => {
      const talk = new Conversation();
      expect(await talk.request(CHAT, RESERVE)).toBe(true);
      expect(talk.requestHeaders[DESTINATION]).toBe('10.0.0.1:8000');
      expect(talk.requestHeaders).not.toHaveProperty('prefer');
      expect(talk.removed).toContain('prefer');
    });

    it('leaves a worker the other wishes', async () => {
      const talk = new Conversation();
      await talk.request(CHAT, { prefer: 'return=minimal, reserve-endpoint' });
      expect(talk.requestHeaders['prefer']).toBe('return=minimal');
      expect(talk.removed).toContain('prefer');
    });

    it('leaves a header alone that has no part for the picker', async () => {
      const talk = new Conversation();
      await talk.request(CHAT, { prefer: 'return=minimal' });
      expect(talk.requestHeaders['prefer']).toBe('return=minimal');
      expect(talk.removed).not.toContain('prefer');
    });
  });
});

describe('Exchange: a pin', () => {
  const pool = () => aPicker(RESERVING, [POD, SIX]);

  it.each(['10.0.0.1:8000', '[fd00::1]:8000'])('sends the request to %s, which does not see it', async (pin) => {
    const talk = new Conversation(pool());
    expect(await talk.request(CHAT, { [PIN]: pin })).toBe(true);
    expect(talk.requestHeaders[DESTINATION]).toBe(pin);
    expect(talk.requestHeaders).not.toHaveProperty(PIN);
    expect(talk.removed).toContain(PIN);
  });

  it('is refused with 503 where nobody of the pool is meant', async () => {
    const talk = new Conversation(pool());
    expect(await talk.request(CHAT, { [PIN]: '169.254.169.254:80' })).toBe(false);
    expect(talk.immediate).toEqual({
      status: 503,
      body: 'inference error: ServiceUnavailable - screeners eliminated all endpoint candidates: endpoint-pin-screener',
      headers: { 'x-llm-d-request-dropped-reason': 'rejected-no-endpoints' },
    });
  });

  it('is refused with 400 where it is no ip:port, and is not quoted', async () => {
    const talk = new Conversation(pool());
    await talk.request(CHAT, { [PIN]: 'mallory' });
    expect(talk.immediate.status).toBe(400);
    expect(talk.immediate.body).not.toContain('mallory');
  });

  it('does not reach a worker where nobody heeds it', async () => {
    const talk = new Conversation(aPicker(ANY, [POD]));
    await talk.request(CHAT, { [PIN]: '10.9.9.9:1' });
    expect(talk.requestHeaders[DESTINATION]).toBe('10.0.0.1:8000');
    expect(talk.removed).toContain(PIN);
  });
});
