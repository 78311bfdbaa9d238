import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EventReader } from './event-reader.ts';

function read(...chunks: readonly (string | Buffer)[]): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  const lines = new EventReader((data, isWhole) => {
    found.push(isWhole ? Buffer.from(data, 'latin1').toString() : undefined);
  });
  for (const chunk of chunks) lines.push(Buffer.from(chunk));
  lines.end();
  return found;
}

describe('EventReader', () => {
  it.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CR LF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['CR', 'data: a\r\rdata: b\r\r'],
    ['a mix of all', 'data: a\r\n\rdata: b\n\r'],
    ['no space behind the colon', 'data:a\n\ndata:b\n\n'],
    ['other lines between', 'event: x\ndata: a\n: ping\n\nid: 1\ndata: b\n\n'],
    ['no end', 'data: a\n\ndata: b'],
  ])('finds data in a stream with %s', (_, stream) => {
    expect(read(stream)).toEqual(['a', 'b']);
  });

  it('finds the same wherever the stream is cut', () => {
    const line = fc.constantFrom('data: é', 'data:x', ': ping', '', 'data: {"a":"b"}', 'data', 'dat: a');
    const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 12 });
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 120 }), { maxLength: 8 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.flat().join(''));
        const places = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort(
          (a, b) => a - b,
        );
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(read(...chunks)).toEqual(read(bytes));
      }),
    );
  });

  it('tells of a line above 256 KiB that it is one, and reads what follows', () => {
    const long = Buffer.from(`data: ${'x'.repeat(300 * 1024)}`);
    expect(read(long.subarray(0, 3), long.subarray(3, 100_000), long.subarray(100_000), '\n\ndata: b\n')).toEqual([
      undefined,
      'b',
    ]);
  });

  it('does not take a long line of another kind for data', () => {
    expect(read(`: ${'x'.repeat(200_000)}`, 'x'.repeat(200_000), '\ndata: b\n')).toEqual(['b']);
  });
});
