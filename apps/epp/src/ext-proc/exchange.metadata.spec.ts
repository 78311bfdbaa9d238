import { describe, expect, it } from '@jest/globals';
import { aPicker, pickerConfig } from '../picker.fixture.ts';
import { CHAT, Conversation, POD, responseBody, responseHeaders } from './exchange.fixture.ts';

const DESTINATION = 'x-gateway-destination-endpoint';
const WRITING = pickerConfig(
  'plugins: [{type: inflight-load-producer}, {type: metadata-writer}, {type: max-score-picker}]',
);

describe('Exchange: metadata of plugins', () => {
  it('stands beside the destination, which it cannot take the place of', async () => {
    const talk = new Conversation(aPicker(WRITING, [POD]));
    await talk.request(CHAT);
    expect(talk.metadata).toEqual({
      'envoy.lb': { [DESTINATION]: '10.0.0.1:8000', canary: true },
      'example.sent': { zone: 'a' },
    });
    expect(talk.requestHeaders[DESTINATION]).toBe('10.0.0.1:8000');
  });

  it('goes with the last piece of the answer where it is said at its end', async () => {
    const talk = new Conversation(aPicker(WRITING, [POD]));
    await talk.request(CHAT);
    await talk.say(responseHeaders({ 'content-type': 'text/event-stream' }));
    await talk.say(responseBody('data: 1\n\n'));
    expect(talk.lastMetadata).toEqual({});
    await talk.say(responseBody('data: [DONE]\n\n', true));
    expect(talk.lastMetadata).toEqual({ 'example.over': { cost: 3 } });
  });

  it('is none where no plugin says any', async () => {
    const talk = new Conversation();
    await talk.request(CHAT);
    await talk.say(responseHeaders({}));
    await talk.say(responseBody('{}', true));
    expect(talk.metadata).toEqual({ 'envoy.lb': { [DESTINATION]: '10.0.0.1:8000' } });
    expect(talk.lastMetadata).toEqual({});
  });
});
