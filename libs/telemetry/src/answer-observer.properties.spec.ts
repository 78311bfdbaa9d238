import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BufferedObserver, StreamObserver } from './answer-observer.ts';
import { answersOf, cutAt, eventsOf, lineEnds, referenceFacts } from './answer-observer.fixture.ts';

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
const stream = fc
  .tuple(eventsOf, fc.array(lineEnds, { minLength: 1, maxLength: 7 }))
  .map(([events, ends]) =>
    events.flat().reduce((text, line, index) => text + line + (ends[index % ends.length] ?? '\n'), ''),
  );

describe('StreamObserver', () => {
  it('sees the same facts as one that has the whole text, wherever the stream is cut and however its lines end', () => {
    fc.assert(
      fc.property(stream, cuts, (text, places) => {
        const bytes = Buffer.from(text);
        const { facts, firstAt, seen } = observed(cutAt(bytes, places));
        const reference = referenceFacts(text);
        expect(seen).toEqual(reference.facts);
        expect(firstAt).toBe(reference.firstOutputEnd);
        expect(facts.firstOutputAt === undefined).toBe(reference.facts.outputEvents === 0);
      }),
      { numRuns: 600 },
    );
  });

  it('sees the same facts byte by byte', () => {
    fc.assert(
      fc.property(stream, (text) => {
        const bytes = Buffer.from(text);
        const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
        expect(observed(single).seen).toEqual(referenceFacts(text).facts);
      }),
      { numRuns: 150 },
    );
  });

  it('bears whatever a worker sends', () => {
    const pieces = [
      'data: ',
      '{"usage":{',
      '"usage":',
      '"finish_reason":"',
      '"type":"response.',
      '[',
      '{',
      '"',
      '\\',
      '\n',
      '\r',
      ':',
      '}',
    ];
    const bytes = fc.oneof(
      fc
        .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })))
        .map((parts) => Buffer.from(parts.join(''))),
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.constant(Buffer.from(`data: {"usage":{"a":${'['.repeat(2000)}\n\n`)),
    );
    fc.assert(
      fc.property(bytes, cuts, (sent, places) => {
        const ends: unknown[] = [];
        const stream = new StreamObserver(
          () => undefined,
          (facts) => ends.push(facts),
        );
        const whole = new BufferedObserver((facts) => ends.push(facts));
        for (const observer of [stream, whole]) {
          for (const chunk of cutAt(sent, places)) observer.chunk(chunk);
          observer.end(undefined);
        }
        expect(ends).toHaveLength(2);
      }),
      { numRuns: 500 },
    );
  });

  /** Pushes the chunks; `firstAt` is the byte at which the first output was known, as far as the cuts let it be. */
  function observed(chunks: readonly Buffer[]) {
    const ends: (Error | undefined)[] = [];
    let firstCalls = 0;
    let position = 0;
    let firstChunk: { from: number; to: number } | undefined;
    let chunk = { from: 0, to: 0 };
    const facts: Parameters<ConstructorParameters<typeof StreamObserver>[1]>[0][] = [];
    const observer = new StreamObserver(
      () => {
        firstCalls++;
        firstChunk = chunk;
      },
      (end, error) => {
        facts.push(end);
        ends.push(error);
      },
    );
    for (const bytes of chunks) {
      chunk = { from: position, to: position + bytes.length };
      position = chunk.to;
      observer.chunk(bytes);
    }
    observer.end(undefined);
    const [end] = facts;
    if (end === undefined || facts.length > 1) throw new Error('the end is told once');
    expect(ends).toEqual([undefined]);
    expect(firstCalls).toBe(end.outputEvents > 0 ? 1 : 0);
    const { outputEvents, usage, finishReasons, isTerminated } = end;
    return {
      facts: end,
      seen: { outputEvents, usage, finishReasons, isTerminated },
      firstAt: firstChunk === undefined ? undefined : endWithin(chunks, firstChunk),
    };
  }

  /** The first line end in the chunk that made the observer speak which completes an event with output. */
  function endWithin(chunks: readonly Buffer[], { from, to }: { from: number; to: number }): number | undefined {
    const text = Buffer.concat([...chunks]).toString('latin1');
    const end = referenceFacts(Buffer.from(text, 'latin1').toString()).firstOutputEnd;
    return end !== undefined && end >= from && end < to ? end : undefined;
  }
});

describe('BufferedObserver', () => {
  it('reads the usage and the finish reasons of a whole answer, wherever it is cut', () => {
    fc.assert(
      fc.property(answersOf, cuts, ({ text, usage, finishReasons }, places) => {
        const facts: unknown[] = [];
        const observer = new BufferedObserver((end) => facts.push(end));
        for (const chunk of cutAt(Buffer.from(text), places)) observer.chunk(chunk);
        observer.end(undefined);
        expect(facts).toEqual([
          {
            firstOutputAt: undefined,
            lastOutputAt: undefined,
            outputEvents: 0,
            usage,
            finishReasons,
            isTerminated: true,
          },
        ]);
      }),
      { numRuns: 300 },
    );
  });
});
