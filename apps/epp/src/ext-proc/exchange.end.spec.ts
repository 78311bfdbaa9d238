import { describe, expect, it } from '@jest/globals';
import { CHAT, Conversation, POD, STREAMED_CHAT, responseBody, responseHeaders } from './exchange.fixture.ts';
import { SlowProducer, aPicker, pickerConfig } from '../picker.fixture.ts';

const SLOW = pickerConfig('plugins: [{type: inflight-load-producer}, {type: slow-producer}, {type: max-score-picker}]');

describe('Exchange: the end of a stream', () => {
  it.each(['client_disconnect', 'error'] as const)('is told as %s while an answer runs, and once', async (how) => {
    const talk = new Conversation();
    await talk.request(STREAMED_CHAT);
    await talk.say(responseHeaders({}));
    await talk.say(responseBody('data: 1\n\n'));
    expect(talk.picker.inFlight.inFlight).toBe(1);
    talk.exchange.end(how);
    talk.exchange.end('error');
    expect(talk.picker.inFlight).toMatchObject({ inFlight: 0, ends: [how] });
    expect(talk.seen.events.at(-1)).toBe(`ended ${how}`);
  });

  it('lets go of a request whose client goes while it is being placed', async () => {
    const picker = aPicker(SLOW, [POD]);
    const slow = picker.plugin('slow-producer');
    if (!(slow instanceof SlowProducer)) throw new Error('no slow producer');
    const talk = new Conversation(picker);
    const placing = talk.request(CHAT);
    while (!slow.isAsked) await new Promise(setImmediate);
    talk.exchange.end('client_disconnect');
    slow.release();
    await placing;
    expect(talk.sent).toEqual([]);
    expect(picker.inFlight.inFlight).toBe(0);
    expect(talk.seen.events).toEqual(['received', 'began', 'read', 'ended client_disconnect']);
  });

  it('is told to no plugin where nothing was chosen', async () => {
    const talk = new Conversation();
    await talk.request('{');
    talk.exchange.end('error');
    expect(talk.picker.inFlight.ends).toEqual([]);
    expect(talk.seen.events.filter((event) => event.startsWith('ended'))).toHaveLength(1);
  });
});

describe('Exchange: eviction', () => {
  it('answers the client in the worker’s place', async () => {
    const talk = new Conversation();
    await talk.request(CHAT);
    expect(await talk.exchange.evict()).toBe(true);
    expect(talk.immediate).toEqual({
      status: 429,
      body: 'request evicted by flow control',
      headers: { 'x-llm-d-request-dropped-reason': 'evicted' },
    });
    expect(talk.picker.inFlight.ends).toEqual(['evicted']);
  });

  it('comes too late for an answer that is complete', async () => {
    const talk = new Conversation();
    await talk.request(CHAT);
    await talk.say(responseHeaders({}, true));
    expect(await talk.exchange.evict()).toBe(false);
    expect(talk.picker.inFlight.ends).toEqual(['natural']);
  });
});
