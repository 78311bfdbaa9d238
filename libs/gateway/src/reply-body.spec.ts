import { describe, expect, it } from '@jest/globals';
import { UpstreamAnswerError } from '#foundation';
import { BROKEN, Observer, Sink, aBody, push } from './reply-body.fixture.ts';

describe('ReplyBody', () => {
  describe('before anybody reads', () => {
    it('holds what came and pauses the connection', () => {
      const { source, body } = aBody();
      push(body, 'a');
      expect(source.log).toEqual(['pause']);
    });

    it('hands early chunks over first, in their order, and lets the connection go on', async () => {
      const { source, body } = aBody();
      push(body, 'a', 'b');
      const sink = new Sink();
      const piped = body.pipe(sink);
      push(body, 'c');
      body.end(undefined);
      await piped;
      expect(sink.chunks).toEqual(['a', 'b', 'c']);
      expect(source.log).toEqual(['pause', 'pause', 'resume']);
    });

    it('does not resume a connection that was never paused', () => {
      const { source, body } = aBody();
      void body.pipe(new Sink());
      expect(source.log).toEqual([]);
    });

    it('keeps what came where the answer has ended already', async () => {
      const { body } = aBody();
      push(body, 'a', 'b');
      body.end(undefined);
      expect((await body.readAll(10)).toString()).toBe('ab');
    });

    it('tells a late reader what broke the answer off, after what came of it', async () => {
      const { body } = aBody();
      push(body, 'a');
      body.end(BROKEN);
      const sink = new Sink();
      await expect(body.pipe(sink)).rejects.toBe(BROKEN);
      expect(sink.chunks).toEqual(['a']);
    });
  });

  describe('pipe', () => {
    it('hands each chunk over as it comes, without joining or cutting', async () => {
      const { body } = aBody();
      const sink = new Sink();
      const piped = body.pipe(sink);
      push(body, 'data: x\n', '\n', 'd');
      expect(sink.chunks).toEqual(['data: x\n', '\n', 'd']);
      body.end(undefined);
      await piped;
    });

    it('pauses when the sink wants no more, and resumes when it does', () => {
      const { source, body } = aBody();
      const sink = new Sink(2);
      void body.pipe(sink);
      push(body, 'a');
      expect(source.log).toEqual([]);
      push(body, 'b');
      expect(source.log).toEqual(['pause']);
      sink.resume?.();
      expect(source.log).toEqual(['pause', 'resume']);
    });

    it('does not resume behind an early chunk that the sink has no room after', () => {
      const { source, body } = aBody();
      push(body, 'a');
      const sink = new Sink(1);
      void body.pipe(sink);
      expect(source.log).toEqual(['pause']);
      sink.resume?.();
      expect(source.log).toEqual(['pause', 'resume']);
    });

    it('rejects with what broke the answer off', async () => {
      const { body } = aBody();
      const piped = body.pipe(new Sink());
      push(body, 'a');
      body.end(BROKEN);
      await expect(piped).rejects.toBe(BROKEN);
    });

    it('is done once, whatever is said after the end', async () => {
      const { body } = aBody();
      const observer = new Observer();
      body.observe(observer);
      const piped = body.pipe(new Sink());
      body.end(undefined);
      body.end(BROKEN);
      await piped;
      expect(observer.seen).toEqual(['end']);
    });

    it('reads an answer once only', async () => {
      const { body } = aBody();
      void body.pipe(new Sink());
      await expect(body.pipe(new Sink())).rejects.toThrow('read once');
      await expect(body.readAll(1)).rejects.toThrow('read once');
    });
  });

  describe('readAll', () => {
    it.each([{ expected: undefined }, { expected: 4 }, { expected: 400 }])(
      'gives the bytes (announced: $expected)',
      async ({ expected }) => {
        const { body } = aBody(expected);
        const read = body.readAll(4);
        push(body, 'ab', 'cd');
        body.end(undefined);
        expect((await read).toString()).toBe('abcd');
      },
    );

    it('gives nothing for an empty answer', async () => {
      const { body } = aBody();
      const read = body.readAll(0);
      body.end(undefined);
      expect(await read).toHaveLength(0);
    });

    it('breaks the answer off at the first byte over the limit, and says which limit', async () => {
      const { source, body } = aBody();
      const read = body.readAll(3);
      push(body, 'ab');
      expect(source.aborted).toEqual([]);
      push(body, 'cd');
      const failure = new UpstreamAnswerError('prefill', 'more than 3 bytes');
      await expect(read).rejects.toEqual(failure);
      expect(source.aborted).toEqual([failure]);
    });

    it('refuses too large an answer that had come whole before it was read', async () => {
      const { body } = aBody();
      push(body, 'ab', 'cd');
      body.end(undefined);
      await expect(body.readAll(3)).rejects.toThrow('prefill answered more than 3 bytes');
    });
  });

  describe('discard', () => {
    it('reads a short answer to its end', () => {
      const { source, body } = aBody();
      push(body, 'a');
      body.discard();
      push(body, 'b'.repeat(64 * 1024 - 1));
      body.end(undefined);
      expect(source.aborted).toEqual([]);
      expect(source.log).toEqual(['pause', 'resume']);
    });

    it('cuts a long one', () => {
      const { source, body } = aBody();
      body.discard();
      push(body, 'a', 'b'.repeat(64 * 1024));
      expect(source.aborted).toHaveLength(1);
    });

    it.each(['has ended', 'is being read', 'was given up'])('does nothing to an answer that %s', (state) => {
      const { source, body } = aBody();
      push(body, 'a');
      if (state === 'has ended') body.end(undefined);
      if (state === 'is being read') void body.readAll(10);
      if (state === 'was given up') body.discard();
      const log = [...source.log];
      body.discard();
      expect(source).toMatchObject({ log, aborted: [] });
    });
  });
});
