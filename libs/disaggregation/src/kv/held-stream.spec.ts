import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UpstreamConnectionError } from '#foundation';
import { ReplyBody } from '#gateway';
import { HeldStream } from './held-stream.ts';

/** An answer in the test's hands, and how often its worker was held back. */
function anAnswer(): { body: ReplyBody; log: string[] } {
  const log: string[] = [];
  const source = { pause: () => log.push('pause'), resume: () => log.push('resume'), abort: () => log.push('abort') };
  return { body: new ReplyBody(source, 'decode', undefined), log };
}

function reader(room = Infinity): {
  text: () => string;
  resume: (() => void)[];
  sink: Parameters<HeldStream['pipe']>[0];
} {
  const chunks: Buffer[] = [];
  const resume: (() => void)[] = [];
  return {
    text: () => Buffer.concat(chunks).toString(),
    resume,
    sink: {
      write: (chunk, go) => {
        chunks.push(chunk);
        resume.push(go);
        return chunks.length < room;
      },
    },
  };
}

const BROKEN = new UpstreamConnectionError('decode', 'reset');
const push = (body: ReplyBody, ...chunks: readonly string[]): void => {
  for (const chunk of chunks) body.push(Buffer.from(chunk));
};

describe('HeldStream', () => {
  it('gives everything from the first byte on, wherever the look stops and the answer is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ minLength: 1 })), fc.nat(10), fc.nat(10), async (chunks, looks, early) => {
        const { body } = anAnswer();
        push(body, ...chunks.slice(0, early));
        let seen = 0;
        const held = new HeldStream(body, () => ++seen > looks);
        push(body, ...chunks.slice(early));
        body.end(undefined);
        await held.begin();
        const { sink, text } = reader();
        await held.pipe(sink);
        expect(text()).toBe(chunks.join(''));
      }),
    );
  });

  it('holds the worker back once the look has seen enough, and lets it go on for a reader', async () => {
    const { body, log } = anAnswer();
    const held = new HeldStream(body, (chunk) => chunk.toString() === 'b');
    push(body, 'a');
    expect(log).toEqual([]);
    push(body, 'b');
    expect(log).toEqual(['pause']);
    await held.begin();
    const { sink, text } = reader();
    const read = held.pipe(sink);
    expect([log, text()]).toEqual([['pause', 'resume'], 'ab']);
    push(body, 'c');
    body.end(undefined);
    await read;
    expect(text()).toBe('abc');
  });

  it('holds the worker back for a slow reader, until that wants more', async () => {
    const { body, log } = anAnswer();
    const held = new HeldStream(body, () => true);
    push(body, 'a');
    const { sink, resume } = reader(1);
    const read = held.pipe(sink);
    expect(log).toEqual(['pause']);
    resume[0]?.();
    expect(log).toEqual(['pause', 'resume']);
    push(body, 'b');
    expect(log).toEqual(['pause', 'resume', 'pause']);
    body.end(undefined);
    await read;
  });

  it('has the bytes of an answer that ended within what was held, and of no other', async () => {
    const { body } = anAnswer();
    const held = new HeldStream(body, () => false);
    push(body, 'a', 'b');
    expect(held.bytes).toBeUndefined();
    body.end(undefined);
    await held.begin();
    expect(held.bytes?.toString()).toBe('ab');
  });

  it('fails while it is looked at with what broke it off', async () => {
    const { body } = anAnswer();
    const held = new HeldStream(body, () => false);
    push(body, 'a');
    body.end(BROKEN);
    await expect(held.begin()).rejects.toBe(BROKEN);
    expect(held.bytes).toBeUndefined();
  });

  it('fails its reader with what broke it off behind the look', async () => {
    const { body } = anAnswer();
    const held = new HeldStream(body, () => true);
    push(body, 'a');
    await held.begin();
    body.end(BROKEN);
    const { sink, text } = reader();
    await expect(held.pipe(sink)).rejects.toBe(BROKEN);
    expect(text()).toBe('a');
  });

  it.each([
    ['its proper end', undefined],
    ['what broke it off', BROKEN],
  ])('shows observers every byte and %s, once', async (_, error) => {
    const { body } = anAnswer();
    const held = new HeldStream(body, () => true);
    push(body, 'a');
    await held.begin();
    const seen: unknown[] = [];
    held.observe({ chunk: (chunk) => seen.push(chunk.toString()), end: (end) => seen.push(end) });
    expect(seen).toEqual([]);
    const read = held.pipe(reader().sink);
    push(body, 'b');
    body.end(error);
    await read.catch(() => undefined);
    expect(seen).toEqual(['a', 'b', error]);
    held.observe({ end: (end) => seen.push(end) });
    expect(seen).toEqual(['a', 'b', error, error]);
  });

  it('drops what it holds and what comes when it is not wanted, and never fails for it', async () => {
    const { body, log } = anAnswer();
    const held = new HeldStream(body, () => true);
    push(body, 'a');
    await held.begin();
    held.discard();
    push(body, 'b', 'c');
    body.end(BROKEN);
    expect(log).toEqual(['pause', 'resume']);
    expect(held.bytes).toBeUndefined();
  });
});
