import { describe, expect, it } from '@jest/globals';
import { requestId } from './request-id.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('requestId', () => {
  it.each(['a', 'A-1', '-', '0af7651916cd43dd8448eb211c80319c', 'x'.repeat(128)])('keeps %s', (id) => {
    expect(requestId(id)).toEqual({ id });
  });

  it.each([
    ['a_b', 3],
    ['a.b', 3],
    ['a:b', 3],
    ['a b', 3],
    [' a', 2],
    ['a\r\nx: 1', 7],
    ['a\n', 2],
    ['é', 1],
    ['x'.repeat(129), 129],
  ])('replaces %p and keeps nothing of it but its length', (id, length) => {
    const replaced = requestId(id);
    expect(replaced).toEqual({ id: expect.stringMatching(UUID), rejectedLength: length });
  });

  it.each([[undefined], ['']])('makes one where there is none (%p), and rejects nothing', (id) => {
    expect(requestId(id)).toEqual({ id: expect.stringMatching(UUID) });
  });

  it('makes a new one each time', () => {
    expect(requestId(undefined).id).not.toBe(requestId(undefined).id);
  });
});
