import { describe, expect, it } from '@jest/globals';
import { isCoded, isEventStream } from './answer-kind.ts';

describe('isEventStream', () => {
  it.each([
    ['text/event-stream', true],
    ['text/event-stream; charset=utf-8', true],
    ['Text/Event-Stream', true],
    ['application/json', false],
    [['text/event-stream', 'text/event-stream'], false],
    [undefined, false],
  ])('of %j is %j', (type, is) => {
    expect(isEventStream({ 'content-type': type })).toBe(is);
  });
});

describe('isCoded', () => {
  it.each([
    ['gzip', true],
    [undefined, false],
  ])('with %j is %j', (coding, is) => {
    expect(isCoded({ 'content-encoding': coding })).toBe(is);
  });
});
