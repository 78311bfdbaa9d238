import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinRope } from '#json';
import { CachedTokensEvents } from './cached-tokens.events.ts';

const COUNT = 7;

/** A line as it comes, and as it must go on. */
interface Line {
  readonly before: string;
  readonly after: string;
}

const same = (text: string): Line => ({ before: text, after: text });

function usageLine(prefix: string, count: number | undefined): Line {
  const line = (details: string) => `${prefix}{"x":"é","usage":{"prompt_tokens":9${details}}}`;
  const before = count === undefined ? '' : `,"prompt_tokens_details":{"cached_tokens":${count},"z":1}`;
  const after = `,"prompt_tokens_details":{"cached_tokens":${COUNT}${count === undefined ? '' : ',"z":1'}}`;
  return { before: line(before), after: line(after) };
}

const lines = fc.array(
  fc.record({
    line: fc.oneof(
      fc
        .constantFrom('', ': c', 'data: [DONE]', 'data: {"usage":null}', 'data: "usage":{', 'event: {"usage":{}}')
        .map(same),
      fc.string().map((text) => same(text.replaceAll(/[\r\n]/g, ''))),
      fc
        .tuple(fc.constantFrom('data: ', 'data:', 'data:  '), fc.option(fc.nat(1000), { nil: undefined }))
        .map(([prefix, count]) => usageLine(prefix, count)),
    ),
    end: fc.constantFrom('\n', '\r\n', '\r'),
  }),
);

describe('CachedTokensEvents', () => {
  it('changes the same bytes however a stream is cut, and holds nothing but a line that is not complete', () => {
    fc.assert(
      fc.property(lines, fc.boolean(), fc.array(fc.nat()), (all, isEnded, cuts) => {
        const join = (side: keyof Line) => {
          const text = all.map(({ line, end }) => line[side] + end).join('');
          return Buffer.from(isEnded ? text : text.replace(/(?:\r\n|\r|\n)$/, ''));
        };
        const bytes = join('before');
        const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
        const events = new CachedTokensEvents(COUNT);
        const sent: Buffer[] = [];
        for (const [index, from] of places.entries()) {
          const to = places[index + 1] ?? bytes.length;
          sent.push(joinRope(events.push(bytes.subarray(from, to))));
          const seen = bytes.subarray(0, to);
          const complete = 1 + Math.max(seen.lastIndexOf(0x0a), seen.lastIndexOf(0x0d));
          const isAllSent = Buffer.concat(sent)
            .toString('latin1')
            .match(/[\r\n]/g)?.length;
          expect(isAllSent).toBe(
            seen
              .subarray(0, complete)
              .toString('latin1')
              .match(/[\r\n]/g)?.length,
          );
        }
        sent.push(joinRope(events.end()));
        expect(Buffer.concat(sent).toString()).toBe(join('after').toString());
      }),
      { numRuns: 300 },
    );
  });
});
