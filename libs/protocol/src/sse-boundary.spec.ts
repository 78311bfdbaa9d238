import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SseBoundary } from './sse-boundary.ts';

/** The answer on a whole text, by its lines. */
function standsBetween(text: string): boolean {
  if (text === '') return true;
  const lines = text.split(/\r\n|\r|\n/);
  const isInLine = lines.at(-1) !== '';
  return !isInLine && lines.at(-2) === '';
}

function fed(...chunks: readonly (string | Uint8Array)[]): boolean {
  const boundary = new SseBoundary();
  for (const chunk of chunks) boundary.push(Buffer.from(chunk));
  return boundary.isBetweenEvents;
}

const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
const line = fc.constantFrom('', '', '', 'data: {"a":1}', 'data:[DONE]', ': ping', 'id: 1', 'event: x', 'é', '😀', ' ');
const stream = fc
  .array(fc.tuple(line, lineEnd), { maxLength: 12 })
  .chain((lines) => fc.tuple(fc.constant(lines.flat().join('')), line))
  .map(([whole, rest]) => Buffer.from(whole + rest));
const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 12 });

describe('SseBoundary', () => {
  it.each([
    ['at the start', []],
    ['after an event ended by LF', ['data: a\n\n']],
    ['after an event ended by CR LF', ['data: a\r\n\r\n']],
    ['after an event ended by CR', ['data: a\r\r']],
    ['after a blank line of other ends than the line before', ['data: a\r\n\n']],
    ['after blank lines alone', ['\n']],
    ['when the blank line comes late', ['data: a\n', '\n']],
    ['when CR and LF come apart', ['data: a\r\n\r', '\n']],
    ['after an empty chunk', ['data: a\n\n', '']],
    ['after a comment and a blank line', [': ping\n\n']],
  ])('stands between events %s', (_, chunks) => {
    expect(fed(...chunks)).toBe(true);
  });

  it.each([
    ['in a line', ['data: a']],
    ['after a line', ['data: a\n']],
    ['after a line ended by CR LF', ['data: a\r\n']],
    ['after a line whose CR and LF come apart', ['data: a\r', '\n']],
    ['after a comment', ['data: a\n\n: ping\n']],
    ['after a line of white space', ['data: a\n \n']],
    ['in the event behind another one', ['data: a\n\nd']],
    ['in a character', [Buffer.from('data: é').subarray(0, 7)]],
  ])('stands in an event %s', (_, chunks) => {
    expect(fed(...chunks)).toBe(false);
  });

  it('answers at every place of every stream as its lines do, wherever it is cut', () => {
    fc.assert(
      fc.property(stream, cuts, (bytes, places) => {
        const boundary = new SseBoundary();
        const ends = [...places.filter((place) => place < bytes.length), bytes.length].sort((a, b) => a - b);
        let start = 0;
        for (const end of ends) {
          boundary.push(bytes.subarray(start, end));
          expect(boundary.isBetweenEvents).toBe(standsBetween(bytes.toString('latin1', 0, end)));
          start = end;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('does not look through a long line', () => {
    const chunk = Buffer.concat([Buffer.alloc(8 * 1024 * 1024, 'x'), Buffer.from('\n\n')]);
    const boundary = new SseBoundary();
    const started = performance.now();
    for (let count = 0; count < 1000; count++) boundary.push(chunk);
    expect(performance.now() - started).toBeLessThan(1000);
    expect(boundary.isBetweenEvents).toBe(true);
  });
});
