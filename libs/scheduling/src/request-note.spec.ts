import { describe, expect, it } from '@jest/globals';
import { RequestNote } from './request-note.ts';
import { aRequest } from './scheduling.fixture.ts';

describe('RequestNote', () => {
  it('keeps a value with one request', () => {
    const note = new RequestNote<number>('mine');
    const [request, another] = [aRequest(), aRequest()];
    note.set(request, 7);
    expect(note.of(request)).toBe(7);
    expect(note.of(another)).toBeUndefined();
  });

  it('is kept apart from others by its key', () => {
    const request = aRequest();
    new RequestNote<number>('mine').set(request, 7);
    expect(new RequestNote<number>('yours').of(request)).toBeUndefined();
  });
});
