import { describe, expect, it } from '@jest/globals';
import { BROKEN, Observer, aBody, push } from './reply-body.fixture.ts';

describe('observers of a ReplyBody', () => {
  it.each(['before anything came', 'before the body is read'])('see every byte and the end, added %s', async (when) => {
    const { body } = aBody();
    const [first, second] = [new Observer(), new Observer()];
    body.observe(first);
    if (when === 'before anything came') body.observe(second);
    push(body, 'a');
    if (when === 'before the body is read') body.observe(second);
    const read = body.readAll(10);
    push(body, 'b');
    body.end(undefined);
    await read;
    expect(first.seen).toEqual(['a', 'b', 'end']);
    expect(second.seen).toEqual(first.seen);
  });

  it('see bytes when they are handed over, not when they come', async () => {
    const { body } = aBody();
    const observer = new Observer();
    body.observe(observer);
    push(body, 'a');
    body.end(undefined);
    expect(observer.seen).toEqual([]);
    await body.readAll(10);
    expect(observer.seen).toEqual(['a', 'end']);
  });

  it('are told of a failure at once, also where nobody will read', () => {
    const { body } = aBody();
    const [early, late] = [new Observer(), new Observer()];
    body.observe(early);
    push(body, 'a');
    body.end(BROKEN);
    body.observe(late);
    expect(early.seen).toEqual(['broken: prefill broke the connection']);
    expect(late.seen).toEqual(early.seen);
  });

  it('may look at the end alone', async () => {
    const { body } = aBody();
    const ends: unknown[] = [];
    body.observe({ end: (error) => ends.push(error) });
    push(body, 'a');
    const read = body.readAll(10);
    body.end(undefined);
    await read;
    expect(ends).toEqual([undefined]);
  });

  it('see a chunk before the reader does', () => {
    const order: string[] = [];
    const { body } = aBody();
    body.observe({ chunk: () => order.push('observer'), end: () => undefined });
    void body.pipe({ write: () => order.push('sink') > 0 });
    push(body, 'a');
    expect(order).toEqual(['observer', 'sink']);
  });

  it('see what is given up, and what broke an answer off', () => {
    const { body } = aBody();
    const observer = new Observer();
    body.observe(observer);
    body.discard();
    push(body, 'a');
    body.end(BROKEN);
    expect(observer.seen).toEqual(['a', 'broken: prefill broke the connection']);
  });
});
