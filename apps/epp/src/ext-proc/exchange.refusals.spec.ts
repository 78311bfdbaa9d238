import { describe, expect, it } from '@jest/globals';
import { CHAT, Conversation, POD, requestBody, requestHeaders, subset } from './exchange.fixture.ts';
import { ANY, aPicker, anEndpoint, pickerConfig } from '../picker.fixture.ts';

const DESTINATION = 'x-gateway-destination-endpoint';
const REASON = 'x-llm-d-request-dropped-reason';

describe('Exchange: a subset hint', () => {
  it('lets any endpoint be chosen where there is none', async () => {
    const talk = new Conversation();
    await talk.request(CHAT);
    expect(talk.requestHeaders[DESTINATION]).toBe('10.0.0.1:8000');
  });

  it.each([
    ['is empty', []],
    ['names nobody of the pool', ['10.9.9.9:8000']],
    ['holds no text', [1, null]],
  ])('is refused with 503 where the list %s', async (_, list) => {
    const talk = new Conversation();
    await talk.say(requestHeaders({ ':path': '/v1/completions' }));
    const isOpen = await talk.say(requestBody(CHAT, true, subset(list)));
    expect(isOpen).toBe(false);
    expect(talk.immediate).toEqual({
      status: 503,
      body: 'inference error: ServiceUnavailable - failed to find endpoint candidates for serving the request',
      headers: { [REASON]: 'rejected-no-endpoints' },
    });
  });

  it('narrows the endpoints to those that it names', async () => {
    const talk = new Conversation(aPicker(ANY, [POD, anEndpoint('other', '10.0.0.2')]));
    await talk.say(requestHeaders({ ':path': '/v1/completions' }));
    await talk.say(requestBody(CHAT, true, subset(['10.0.0.2:8000'])));
    expect(talk.requestHeaders[DESTINATION]).toBe('10.0.0.2:8000');
  });

  it.each([
    ['is no list', 'text', {}],
    ['is not to be heeded', [], { heedsSubset: false }],
  ])('does not count where it %s', async (_, list, options) => {
    const talk = new Conversation(undefined, options);
    await talk.say(requestHeaders({ ':path': '/v1/completions' }));
    await talk.say(requestBody(CHAT, true, subset(list)));
    expect(talk.requestHeaders[DESTINATION]).toBe('10.0.0.1:8000');
  });

  it('is read from the last message of the body alone', async () => {
    const talk = new Conversation();
    await talk.say(requestHeaders({ ':path': '/v1/completions' }));
    await talk.say(requestBody(CHAT.slice(0, 9), false, subset([])));
    await talk.say(requestBody(CHAT.slice(9), true));
    expect(talk.requestHeaders[DESTINATION]).toBe('10.0.0.1:8000');
  });
});

describe('Exchange: a subset hint of a request without a body', () => {
  const GET = requestHeaders({ ':path': '/v1/models', ':method': 'GET' }, true);
  const pool = () => aPicker(ANY, [POD, anEndpoint('other', '10.0.0.2')]);

  it('narrows the endpoints', async () => {
    const talk = new Conversation(pool());
    await talk.say({ ...GET, metadata_context: subset(['10.0.0.2:8000']) });
    expect(talk.requestHeaders[DESTINATION]).toBe('10.0.0.2:8000');
  });

  it('is refused with 503 where it names nobody', async () => {
    const talk = new Conversation(pool());
    expect(await talk.say({ ...GET, metadata_context: subset([]) })).toBe(false);
    expect(talk.immediate).toMatchObject({ status: 503, headers: { [REASON]: 'rejected-no-endpoints' } });
  });

  it('does not count where it is not to be heeded', async () => {
    const talk = new Conversation(undefined, { heedsSubset: false });
    await talk.say({ ...GET, metadata_context: subset([]) });
    expect(talk.requestHeaders[DESTINATION]).toBe('10.0.0.1:8000');
  });

  it('does not make an empty pool another answer', async () => {
    const talk = new Conversation(aPicker(ANY, []));
    await talk.say({ ...GET, metadata_context: subset([]) });
    expect(talk.immediate).toMatchObject({
      status: 500,
      body: 'inference error: Internal - no pods available in datastore',
    });
  });
});

describe('Exchange: refusals', () => {
  it('answers a body that cannot be read with 400 and no reason', async () => {
    const talk = new Conversation();
    expect(await talk.request('{')).toBe(false);
    expect(talk.immediate).toEqual({
      status: 400,
      body: 'inference error: BadRequest - error unmarshaling request bodyMap: syntax',
      headers: {},
    });
    expect(talk.kinds).toEqual(['immediate_response']);
    expect(talk.seen.events).toEqual(['received', 'began', 'refused BadRequest', 'ended error']);
  });

  it('refuses Prefer: if-available with 412 where no gate is configured, and lets others pass', async () => {
    const refused = new Conversation();
    await refused.request(CHAT, { prefer: 'return=minimal, If-Available;x=1' });
    expect(refused.immediate).toEqual({
      status: 412,
      body: 'inference error: PreconditionFailed - conditional-decode request received but no gate plugin is configured',
      headers: {},
    });
    const normal = new Conversation();
    await normal.request(CHAT, { prefer: 'return=minimal' });
    expect(normal.kinds).toEqual(['request_headers', 'request_body']);
  });

  it('refuses an empty pool with 503, each time', async () => {
    const picker = aPicker(ANY, []);
    for (let time = 0; time < 3; time++) {
      const talk = new Conversation(picker);
      await talk.request(CHAT);
      expect(talk.immediate).toMatchObject({ status: 503, headers: { [REASON]: 'rejected-no-endpoints' } });
    }
  });

  it('refuses a profile that nobody has as a bad request', async () => {
    const config = pickerConfig(`
plugins: [{type: inflight-load-producer}, {type: header-profile-handler}, {type: decode-filter}, {type: prefill-filter}]
schedulingProfiles:
- {name: decode, plugins: [{pluginRef: decode-filter}]}
- {name: prefill, plugins: [{pluginRef: prefill-filter}]}`);
    const talk = new Conversation(aPicker(config, [POD]));
    await talk.request(CHAT, { 'epp-profile': 'PREFILL' });
    expect(talk.immediate.status).toBe(400);
  });
});
